/* Prints statements as canonical JSON: arguments in schema order, one statement on each line, inner
 * blocks indented.
 *
 * The same code prints both layouts: where the indented layout has a line break, the one-line
 * layout has a space or nothing. */
#include "program/json/tree.h"

void json_page_break(const JsonWriter *w, const char *in_line) {
    if (w->line) {
        text_add(w->text, in_line);
        return;
    }
    text_add(w->text, "\n");
    for (int i = 0; i < w->indent; i++) {
        text_add(w->text, "  ");
    }
}

void json_open_array(JsonWriter *w) {
    text_add(w->text, "[");
    w->indent++;
}

void json_array_item(const JsonWriter *w, int index) {
    text_add(w->text, index > 0 ? "," : "");
    json_page_break(w, index > 0 ? " " : "");
}

void json_close_array(JsonWriter *w, int count) {
    w->indent--;
    if (count > 0) {
        json_page_break(w, "");
    }
    text_add(w->text, "]");
}

void json_write_name(const JsonWriter *w, NameId name) {
    text_json_string(w->text, w->p->names[name]);
}

void json_write_key(const JsonWriter *w, const char *key) {
    text_printf(w->text, ", \"%s\": ", key);
}
void json_write_flag(const JsonWriter *w, const char *key, bool value) {
    text_printf(w->text, ", \"%s\": %s", key, value ? "true" : "false");
}

void json_write_extra(const JsonWriter *w, const char *extra) {
    if (extra) {
        text_add(w->text, ", ");
        text_add(w->text, extra);
    }
}

void json_write_names(const JsonWriter *w, const NameId *names, int n) {
    text_add(w->text, "[");
    for (int i = 0; i < n; i++) {
        text_add(w->text, i ? ", " : "");
        if (names[i] == NAME_NONE) {
            text_add(w->text, "null");
        } else {
            json_write_name(w, names[i]);
        }
    }
    text_add(w->text, "]");
}

/* ---- arguments ---- */

static void write_pint(const JsonWriter *w, const PInt *i) {
    if (i->size_of == NAME_NONE) {
        text_scalar(w->text, scalar_int(i->value));
        return;
    }
    text_add(w->text, "{\"size_of\": [");
    json_write_name(w, i->size_of);
    text_printf(w->text, ", %lld]}", (long long)i->value);
}

static void write_slice_bound(const JsonWriter *w, bool has, const PInt *i) {
    if (has) {
        write_pint(w, i);
    } else {
        text_add(w->text, "null");
    }
}

static void write_index_item(const JsonWriter *w, const PIndexItem *item) {
    switch (item->kind) {
    case INDEX_INT:
        write_pint(w, &item->start);
        return;
    case INDEX_SLICE:
        text_add(w->text, "[");
        write_slice_bound(w, item->has_start, &item->start);
        text_add(w->text, ", ");
        write_slice_bound(w, item->has_stop, &item->stop);
        text_add(w->text, ", ");
        write_slice_bound(w, item->has_step, &item->step);
        text_add(w->text, "]");
        return;
    case INDEX_NEWAXIS:
        text_add(w->text, "null");
        return;
    case INDEX_ELLIPSIS:
        text_add(w->text, "\"...\"");
        return;
    case INDEX_BOOL:
        text_add(w->text, item->start.value ? "true" : "false");
        return;
    case INDEX_TENSOR:
        json_write_name(w, item->tensor);
        return;
    case INDEX_LIST:
        text_add(w->text, "{\"list\": [");
        for (int i = 0; i < item->count; i++) {
            text_add(w->text, i ? ", " : "");
            text_scalar(w->text, scalar_int(item->list[i]));
        }
        text_add(w->text, "]}");
        return;
    }
}

static void write_ints(const JsonWriter *w, const PArg *a) {
    if (a->ints.single) {
        write_pint(w, &a->ints.v[0]);
        return;
    }
    text_add(w->text, "[");
    for (int i = 0; i < a->ints.n; i++) {
        text_add(w->text, i ? ", " : "");
        write_pint(w, &a->ints.v[i]);
    }
    text_add(w->text, "]");
}

static void write_float(const JsonWriter *w, double f) { text_scalar(w->text, scalar_float(f)); }

/* The dtype of a tensor literal's data. */
static DType write_stmt_literal_dtype(const Stmt *s) {
    return s->arg[op_param(s->op, "dtype")].dtype;
}

static void write_arg(const JsonWriter *w, const Stmt *s, const Param *param, const PArg *a) {
    if (a->is_none) {
        text_add(w->text, "null");
        return;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        json_write_name(w, a->tensor);
        return;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        json_write_names(w, a->tensors.v, a->tensors.n);
        return;
    case ARG_VALUE:
        if (a->is_tensor) {
            json_write_name(w, a->tensor);
            return;
        }
        text_scalar(w->text, a->scalar);
        return;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        text_scalar(w->text, a->scalar);
        return;
    case ARG_INT:
    case ARG_INT_OPT:
        write_pint(w, &a->i);
        return;
    case ARG_INTS:
    case ARG_INTS_OPT:
        write_ints(w, a);
        return;
    case ARG_BOOL:
        text_add(w->text, a->b ? "true" : "false");
        return;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        write_float(w, a->f);
        return;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        text_json_string(w->text, dtype_name(a->dtype));
        return;
    case ARG_STR:
    case ARG_STR_OPT:
        text_json_string(w->text, a->str);
        return;
    case ARG_DATA:
        text_data(w->text, a->data.data, write_stmt_literal_dtype(s), a->data.n);
        return;
    case ARG_INDEX:
        text_add(w->text, "[");
        for (int i = 0; i < a->index.n; i++) {
            text_add(w->text, i ? ", " : "");
            write_index_item(w, &a->index.v[i]);
        }
        text_add(w->text, "]");
        return;
    }
}

/* ---- statements ---- */

static void write_json_out(const JsonWriter *w, const Stmt *s) {
    if (s->out_list) {
        json_write_key(w, "out");
        json_write_names(w, s->out, s->nout);
    } else if (s->nout > 0) {
        json_write_key(w, "out");
        json_write_name(w, s->out[0]);
    }
}

static void write_op(const JsonWriter *w, const Stmt *s) {
    text_add(w->text, "{\"op\": ");
    text_json_string(w->text, s->op->name);
    for (int i = 0; i < s->op->nparam; i++) {
        if (s->arg[i].given) {
            json_write_key(w, s->op->param[i].name);
            write_arg(w, s, &s->op->param[i], &s->arg[i]);
        }
    }
    if (s->requires_grad_given || s->requires_grad) {
        json_write_flag(w, "requires_grad", s->requires_grad);
    }
    write_json_out(w, s);
}

static void write_json_stmt_grad(const JsonWriter *w, const Stmt *s) {
    const GradStmt *g = s->grad;
    text_add(w->text, "{\"op\": \"grad\", \"outputs\": ");
    json_write_names(w, g->outputs, g->noutputs);
    json_write_key(w, "inputs");
    json_write_names(w, g->inputs, g->ninputs);
    if (g->ngrad_outputs >= 0) {
        json_write_key(w, "grad_outputs");
        json_write_names(w, g->grad_outputs, g->ngrad_outputs);
    }
    if (g->create_graph) {
        json_write_flag(w, "create_graph", true);
    }
    if (g->retain_given) {
        json_write_flag(w, "retain_graph", g->retain_graph);
    }
    if (g->allow_unused) {
        json_write_flag(w, "allow_unused", true);
    }
    write_json_out(w, s);
}

static void write_predicate(const JsonWriter *w, const Predicate *p) {
    text_printf(w->text, "{\"%s\": ", json_predicate_names[p->kind]);
    switch (p->kind) {
    case PRED_requires_grad:
    case PRED_is_leaf:
    case PRED_has_grad_fn:
    case PRED_is_contiguous:
    case PRED_is_none:
        json_write_name(w, p->of);
        break;
    case PRED_is_grad_enabled:
        text_add(w->text, "true");
        break;
    case PRED_dtype:
        text_add(w->text, "[");
        json_write_name(w, p->of);
        text_printf(w->text, ", \"%s\"]", dtype_name(p->dtype));
        break;
    case PRED_dim:
        text_add(w->text, "[");
        json_write_name(w, p->of);
        text_printf(w->text, ", %lld]", (long long)p->dim);
        break;
    case PRED_needs_input_grad:
        text_printf(w->text, "%lld", (long long)p->dim);
        break;
    case PRED_not:
        write_predicate(w, p->inner);
        break;
    case PRED_COUNT:
        break;
    }
    text_add(w->text, "}");
}

static void write_stmt(JsonWriter *w, const Stmt *s) {
    switch (s->kind) {
    case STMT_OP:
        write_op(w, s);
        break;
    case STMT_WITH:
        if (s->context == CONTEXT_autocast) {
            text_printf(w->text, "{\"with\": \"autocast\", \"dtype\": \"%s\", \"body\": ",
                        dtype_name(s->autocast));
        } else if (s->context == CONTEXT_checkpoint) {
            text_printf(w->text, "{\"with\": \"checkpoint\", %s\"body\": ",
                        s->reentrant ? "\"use_reentrant\": true, " : "");
        } else {
            text_printf(w->text, "{\"with\": \"%s\", \"body\": ",
                        s->context != CONTEXT_grad_mode ? context_name(s->context)
                        : s->grad_enabled               ? "enable_grad"
                                                        : "no_grad");
        }
        json_write_block(w, &s->body);
        break;
    case STMT_IF:
        text_add(w->text, "{\"if\": ");
        write_predicate(w, &s->predicate);
        json_write_key(w, "then");
        json_write_block(w, &s->body);
        if (s->has_else) {
            json_write_key(w, "else");
            json_write_block(w, &s->orelse);
        }
        break;
    case STMT_ASSERT:
        text_add(w->text, "{\"assert\": ");
        write_predicate(w, &s->predicate);
        break;
    case STMT_PROBE:
        text_printf(w->text, "{\"probe\": \"%s\"", probe_name(s->probe));
        if (s->probe != PROBE_is_grad_enabled) {
            json_write_key(w, "of");
            json_write_name(w, s->of);
        }
        break;
    case STMT_GRAD:
        if (s->grad->accumulates) {
            json_write_backward(w, s->grad);
        } else {
            write_json_stmt_grad(w, s);
        }
        break;
    case STMT_GRAPH_BREAK:
        text_add(w->text, "{\"graph_break\": true");
        break;
    case STMT_APPLY:
        json_write_apply(w, s);
        break;
    case STMT_HOOK:
        json_write_hook(w, s->hook);
        break;
    case STMT_DOT_GRAD:
        json_write_dot_grad(w, s);
        break;
    case STMT_COUNT:
        break;
    }
    json_write_extra(w, s->extra);
    text_add(w->text, "}");
}

void json_write_block(JsonWriter *w, const Block *block) {
    json_open_array(w);
    int n = 0;
    for (const Stmt *s = block->first; s; s = s->next) {
        json_array_item(w, n++);
        write_stmt(w, s);
    }
    json_close_array(w, n);
}
