/* The canonical text of a program: keys in the order of format.md, arguments in schema order, one statement (one input, one call)
 * a line. What was not given is not printed, so printing what was parsed gives the same text again.
 *
 * One writer makes both layouts: where the page has a line break, the one-line form has a space or nothing. */
#include "program/json_tree.h"

typedef struct Writer {
    Text *text;
    const Program *p;
    bool line;  /* all on one line */
    int indent; /* in steps of two blanks */
} Writer;

/* A line break of the page. */
static void page_break(const Writer *w, const char *in_line) {
    if (w->line) {
        text_add(w->text, in_line);
        return;
    }
    text_add(w->text, "\n");
    for (int i = 0; i < w->indent; i++) {
        text_add(w->text, "  ");
    }
}

/* An array whose members stand on lines of their own. */
static void open_array(Writer *w) {
    text_add(w->text, "[");
    w->indent++;
}

static void array_item(const Writer *w, int place) {
    text_add(w->text, place > 0 ? "," : "");
    page_break(w, place > 0 ? " " : "");
}

static void close_array(Writer *w, int count) {
    w->indent--;
    if (count > 0) {
        page_break(w, "");
    }
    text_add(w->text, "]");
}

static void write_string(const Writer *w, const char *s) { text_json_string(w->text, s); }
static void write_name(const Writer *w, NameId name) { write_string(w, w->p->names[name]); }

/* `"key": ` inside an object that has members already. */
static void write_key(const Writer *w, const char *key) { text_printf(w->text, ", \"%s\": ", key); }
static void write_flag(const Writer *w, const char *key, bool value) { text_printf(w->text, ", \"%s\": %s", key, value ? "true" : "false"); }

static void write_extra(const Writer *w, const char *extra) {
    if (extra) {
        text_add(w->text, ", ");
        text_add(w->text, extra);
    }
}

static void write_names(const Writer *w, const NameId *names, int n) {
    text_add(w->text, "[");
    for (int i = 0; i < n; i++) {
        text_add(w->text, i ? ", " : "");
        if (names[i] == NAME_NONE) {
            text_add(w->text, "null");
        } else {
            write_name(w, names[i]);
        }
    }
    text_add(w->text, "]");
}

static void write_seed(const Writer *w, uint64_t seed) {
    text_printf(w->text, seed < (uint64_t)1 << 53 ? "%llu" : "\"%llu\"", (unsigned long long)seed);
}

/* ---- arguments ---- */

static void write_pint(const Writer *w, const PInt *i) {
    if (i->size_of == NAME_NONE) {
        text_scalar(w->text, scalar_int(i->value));
        return;
    }
    text_add(w->text, "{\"size_of\": [");
    write_name(w, i->size_of);
    text_printf(w->text, ", %lld]}", (long long)i->value);
}

static void write_slice_bound(const Writer *w, bool has, const PInt *i) {
    if (has) {
        write_pint(w, i);
    } else {
        text_add(w->text, "null");
    }
}

static void write_index_item(const Writer *w, const PIndexItem *item) {
    switch (item->kind) {
    case INDEX_INT: write_pint(w, &item->start); return;
    case INDEX_SLICE:
        text_add(w->text, "[");
        write_slice_bound(w, item->has_start, &item->start);
        text_add(w->text, ", ");
        write_slice_bound(w, item->has_stop, &item->stop);
        text_add(w->text, ", ");
        write_slice_bound(w, item->has_step, &item->step);
        text_add(w->text, "]");
        return;
    case INDEX_NEWAXIS: text_add(w->text, "null"); return;
    case INDEX_ELLIPSIS: text_add(w->text, "\"...\""); return;
    case INDEX_BOOL: text_add(w->text, item->start.value ? "true" : "false"); return;
    case INDEX_TENSOR: write_name(w, item->tensor); return;
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

static void write_ints(const Writer *w, const PArg *a) {
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

static void write_float(const Writer *w, double f) { text_scalar(w->text, scalar_float(f)); }

/* The dtype a tensor literal's data is in. */
static DType literal_dtype(const Stmt *s) { return s->arg[op_param(s->op, "dtype")].dtype; }

static void write_arg(const Writer *w, const Stmt *s, const Param *param, const PArg *a) {
    if (a->is_none) {
        text_add(w->text, "null");
        return;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT: write_name(w, a->tensor); return;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT: write_names(w, a->tensors.v, a->tensors.n); return;
    case ARG_VALUE:
        if (a->is_tensor) {
            write_name(w, a->tensor);
            return;
        }
        text_scalar(w->text, a->scalar);
        return;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT: text_scalar(w->text, a->scalar); return;
    case ARG_INT:
    case ARG_INT_OPT: write_pint(w, &a->i); return;
    case ARG_INTS:
    case ARG_INTS_OPT: write_ints(w, a); return;
    case ARG_BOOL: text_add(w->text, a->b ? "true" : "false"); return;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT: write_float(w, a->f); return;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT: write_string(w, dtype_name(a->dtype)); return;
    case ARG_STR:
    case ARG_STR_OPT: write_string(w, a->str); return;
    case ARG_DATA: text_data(w->text, a->data.data, literal_dtype(s), a->data.n); return;
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

static void write_out(const Writer *w, const Stmt *s) {
    if (s->out_list) {
        write_key(w, "out");
        write_names(w, s->out, s->nout);
    } else if (s->nout > 0) {
        write_key(w, "out");
        write_name(w, s->out[0]);
    }
}

static void write_op(const Writer *w, const Stmt *s) {
    text_add(w->text, "{\"op\": ");
    write_string(w, s->op->name);
    for (int i = 0; i < s->op->nparam; i++) {
        if (s->arg[i].given) {
            write_key(w, s->op->param[i].name);
            write_arg(w, s, &s->op->param[i], &s->arg[i]);
        }
    }
    if (s->requires_grad_given || s->requires_grad) {
        write_flag(w, "requires_grad", s->requires_grad);
    }
    write_out(w, s);
}

static void write_grad(const Writer *w, const Stmt *s) {
    const GradStmt *g = s->grad;
    text_add(w->text, "{\"op\": \"grad\", \"outputs\": ");
    write_names(w, g->outputs, g->noutputs);
    write_key(w, "inputs");
    write_names(w, g->inputs, g->ninputs);
    if (g->ngrad_outputs >= 0) {
        write_key(w, "grad_outputs");
        write_names(w, g->grad_outputs, g->ngrad_outputs);
    }
    if (g->create_graph) {
        write_flag(w, "create_graph", true);
    }
    if (g->retain_given) {
        write_flag(w, "retain_graph", g->retain_graph);
    }
    if (g->allow_unused) {
        write_flag(w, "allow_unused", true);
    }
    write_out(w, s);
}

static void write_predicate(const Writer *w, const Predicate *p) {
    text_printf(w->text, "{\"%s\": ", predicate_names[p->kind]);
    switch (p->kind) {
    case PRED_requires_grad:
    case PRED_is_leaf:
    case PRED_has_grad_fn:
    case PRED_is_contiguous: write_name(w, p->of); break;
    case PRED_is_grad_enabled: text_add(w->text, "true"); break;
    case PRED_dtype:
        text_add(w->text, "[");
        write_name(w, p->of);
        text_printf(w->text, ", \"%s\"]", dtype_name(p->dtype));
        break;
    case PRED_dim:
        text_add(w->text, "[");
        write_name(w, p->of);
        text_printf(w->text, ", %lld]", (long long)p->dim);
        break;
    case PRED_not: write_predicate(w, p->inner); break;
    }
    text_add(w->text, "}");
}

static void write_block(Writer *w, const Block *block);

static void write_stmt(Writer *w, const Stmt *s) {
    switch (s->kind) {
    case STMT_OP: write_op(w, s); break;
    case STMT_WITH:
        text_printf(w->text, "{\"with\": \"%s\", \"body\": ", s->grad_enabled ? "enable_grad" : "no_grad");
        write_block(w, &s->body);
        break;
    case STMT_IF:
        text_add(w->text, "{\"if\": ");
        write_predicate(w, &s->predicate);
        write_key(w, "then");
        write_block(w, &s->body);
        if (s->has_else) {
            write_key(w, "else");
            write_block(w, &s->orelse);
        }
        break;
    case STMT_ASSERT:
        text_add(w->text, "{\"assert\": ");
        write_predicate(w, &s->predicate);
        break;
    case STMT_PROBE:
        text_printf(w->text, "{\"probe\": \"%s\"", probe_name(s->probe));
        if (s->probe != PROBE_is_grad_enabled) {
            write_key(w, "of");
            write_name(w, s->of);
        }
        break;
    case STMT_GRAD: write_grad(w, s); break;
    case STMT_GRAPH_BREAK: text_add(w->text, "{\"graph_break\": true"); break;
    }
    write_extra(w, s->extra);
    text_add(w->text, "}");
}

static void write_block(Writer *w, const Block *block) {
    open_array(w);
    int n = 0;
    for (const Stmt *s = block->first; s; s = s->next) {
        array_item(w, n++);
        write_stmt(w, s);
    }
    close_array(w, n);
}

/* ---- inputs and calls ---- */

static void write_fill(const Writer *w, FillKind fill, uint64_t seed) {
    text_printf(w->text, "{\"fill\": \"%s\", \"seed\": ", fill_name(fill));
    write_seed(w, seed);
}

static void write_input(const Writer *w, const Input *in) {
    text_add(w->text, "{\"name\": ");
    write_name(w, in->name);
    text_printf(w->text, ", \"dtype\": \"%s\", \"size\": ", dtype_name(in->dtype));
    text_sizes(w->text, in->size, in->ndim);
    if (in->stride_given) {
        write_key(w, "stride");
        text_sizes(w->text, in->stride, in->ndim);
    }
    if (in->offset_given || in->offset != 0) {
        text_printf(w->text, ", \"storage_offset\": %lld", (long long)in->offset);
    }
    if (in->storage != NAME_NONE) {
        write_key(w, "storage");
        write_name(w, in->storage);
    }
    if (in->requires_grad_given || in->requires_grad) {
        write_flag(w, "requires_grad", in->requires_grad);
    }
    if (in->data.given) {
        write_key(w, "data");
        if (in->data.is_fill) {
            write_fill(w, in->data.fill, in->data.seed);
            write_extra(w, in->data.extra);
            text_add(w->text, "}");
        } else {
            text_data(w->text, in->data.data, in->dtype, in->data.numel);
        }
    }
    write_extra(w, in->extra);
    text_add(w->text, "}");
}

static void write_inputs(Writer *w, const Input *inputs, int n) {
    open_array(w);
    for (int i = 0; i < n; i++) {
        array_item(w, i);
        write_input(w, &inputs[i]);
    }
    close_array(w, n);
}

static void write_backward(const Writer *w, const Backward *b) {
    write_fill(w, b->fill, b->seed);
    if (b->nof >= 0) {
        write_key(w, "of");
        text_add(w->text, "[");
        for (int i = 0; i < b->nof; i++) {
            text_printf(w->text, "%s%d", i ? ", " : "", b->of[i]);
        }
        text_add(w->text, "]");
    }
    write_extra(w, b->extra);
    text_add(w->text, "}");
}

static void write_recall(Writer *w, const Recall *r) {
    if (!r->object_form && !r->keep && !r->grad_mode_given) {
        write_inputs(w, r->inputs, r->ninputs);
        return;
    }
    if (r->keep) {
        text_add(w->text, "{\"keep\": true");
        if (r->set) {
            write_key(w, "set");
            text_add(w->text, "{");
            for (int i = 0; i < r->nset; i++) {
                text_add(w->text, i ? ", " : "");
                write_name(w, r->set[i].name);
                text_printf(w->text, ": {\"requires_grad\": %s}", r->set[i].requires_grad ? "true" : "false");
            }
            text_add(w->text, "}");
        }
    } else {
        text_add(w->text, "{\"inputs\": ");
        write_inputs(w, r->inputs, r->ninputs);
    }
    if (r->grad_mode_given) {
        write_flag(w, "grad_mode", r->grad_mode);
    }
    write_extra(w, r->extra);
    text_add(w->text, "}");
}

static void write_recalls(Writer *w, const Program *p) {
    open_array(w);
    for (int i = 0; i < p->nrecalls; i++) {
        array_item(w, i);
        write_recall(w, &p->recalls[i]);
    }
    close_array(w, p->nrecalls);
}

/* ---- shell ---- */

static void write_shell(const Writer *w, const Shell *s) {
    const char *comma = "";
    text_add(w->text, "{");
    if (s->wrap_given) {
        text_printf(w->text, "\"wrap\": \"%s\"", wrap_names[s->wrap]);
        comma = ", ";
    }
    if (s->roles_given) {
        text_printf(w->text, "%s\"roles\": {", comma);
        for (int i = 0; i < s->nroles; i++) {
            text_add(w->text, i ? ", " : "");
            write_name(w, s->roles[i].name);
            text_printf(w->text, ": \"%s\"", role_names[s->roles[i].role]);
        }
        text_add(w->text, "}");
        comma = ", ";
    }
    if (s->spelling_given) {
        text_printf(w->text, "%s\"spelling\": {", comma);
        for (int i = 0; i < s->nspelling; i++) {
            text_printf(w->text, "%s\"%s\": \"%s\"", i ? ", " : "", s->spelling[i].path, spelling_names[s->spelling[i].spelling]);
        }
        text_add(w->text, "}");
        comma = ", ";
    }
    if (s->outline_given) {
        text_printf(w->text, "%s\"outline\": [", comma);
        for (int i = 0; i < s->noutline; i++) {
            text_printf(w->text, "%s[%lld, %lld]", i ? ", " : "", (long long)s->outline[i].from, (long long)s->outline[i].to);
        }
        text_add(w->text, "]");
        comma = ", ";
    }
    if (s->instances_given) {
        text_printf(w->text, "%s\"instances\": %lld", comma, (long long)s->instances);
        comma = ", ";
    }
    if (s->extra) {
        text_add(w->text, comma);
        text_add(w->text, s->extra);
    }
    text_add(w->text, "}");
}

/* ---- the whole ---- */

/* The next member of the program's object: a line of its own. */
static void member(const Writer *w, const char *key) {
    text_add(w->text, ",");
    page_break(w, " ");
    text_printf(w->text, "\"%s\": ", key);
}

void program_print(Text *text, const Program *p, bool line) {
    Writer w = {text, p, line, 1};
    text_add(text, "{");
    page_break(&w, "");
    text_add(text, "\"twingrad\": 1");
    if (p->name) {
        member(&w, "name");
        write_string(&w, p->name);
    }
    if (p->note) {
        member(&w, "note");
        write_string(&w, p->note);
    }
    if (p->inputs_given || p->ninputs > 0) {
        member(&w, "inputs");
        write_inputs(&w, p->inputs, p->ninputs);
    }
    member(&w, "body");
    write_block(&w, &p->body);
    member(&w, "return");
    write_names(&w, p->returns, p->nreturns);
    if (p->backward.given) {
        member(&w, "backward");
        write_backward(&w, &p->backward);
    }
    if (p->setup_given || p->setup.first) {
        member(&w, "setup");
        write_block(&w, &p->setup);
    }
    if (p->args_given || p->nargs > 0) {
        member(&w, "args");
        write_names(&w, p->args, p->nargs);
    }
    if (p->grad_mode_given || !p->grad_mode) {
        member(&w, "grad_mode");
        text_add(text, p->grad_mode ? "true" : "false");
    }
    if (p->recalls_given || p->nrecalls > 0) {
        member(&w, "recalls");
        write_recalls(&w, p);
    }
    if (p->shell) {
        member(&w, "shell");
        write_shell(&w, p->shell);
    }
    if (p->expect) {
        member(&w, "expect");
        result_print(text, p->expect, p);
    }
    if (p->extra) {
        text_add(text, ",");
        page_break(&w, " ");
        text_add(text, p->extra);
    }
    w.indent = 0;
    page_break(&w, "");
    text_add(text, line ? "}" : "}\n");
}
