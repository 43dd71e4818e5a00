/* The graph as text: one node per line, in execution order, then what the epilogue does.
 *
 *     %5: f32[2, 3; 3, 1] = mul.Tensor(%3, %4)  # body[2]
 *
 * sizes; strides and, if it is not 0, "+offset" in the buffer read. The text has no pointers and no
 * times. The printer does not rely on any invariant, so that broken graphs can be printed. */
#include "compiled/ir/graph.h"

#include <stdio.h>

static const char *const short_names[DT_COUNT] = {
    [DT_bool] = "bool",   [DT_uint8] = "u8",   [DT_int8] = "i8",     [DT_int16] = "i16",
    [DT_int32] = "i32",   [DT_int64] = "i64",  [DT_float16] = "f16", [DT_bfloat16] = "bf16",
    [DT_float32] = "f32", [DT_float64] = "f64"};

const char *dtype_short_name(DType dtype) {
    return (unsigned)dtype < DT_COUNT ? short_names[dtype] : "?";
}

static void print_ir_ints(Text *text, const int64_t *v, int n) {
    for (int i = 0; i < n; i++) {
        text_add(text, i ? ", " : "");
        text_int(text, v[i]);
    }
}

static void print_layout(Text *text, const Tensor *t) {
    int ndim = t->ndim < 0 ? 0 : t->ndim > MAX_DIMS ? MAX_DIMS : t->ndim;
    text_add(text, dtype_short_name(t->dtype));
    text_add(text, "[");
    print_ir_ints(text, t->size, ndim);
    text_add(text, "; ");
    print_ir_ints(text, t->stride, ndim);
    text_add(text, "]");
    if (t->offset) {
        text_add(text, "+");
        text_int(text, t->offset);
    }
}

static void print_ref(Text *text, const Node *n) {
    if (n) {
        text_add(text, "%");
        text_int(text, n->id);
    } else {
        text_add(text, "None");
    }
}

static void print_data(Text *text, const Node *n, const Arg *arg) {
    text_add(text, "{");
    for (int64_t i = 0; i < arg->data.n; i++) {
        if (i) {
            text_add(text, ", ");
        }
        text_number(text, arg->data.data, n->t.dtype, i);
    }
    text_add(text, "}");
}

/* One argument; `k` counts the operands printed so far. */
static void print_arg(Text *text, const Node *n, int p, int *k) {
    const Param *param = &n->call->op->param[p];
    const Arg *arg = &n->call->arg[p];
    bool list = param->type == ARG_TENSORS || param->type == ARG_TENSORS_OPT;
    if (param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT) {
        print_ref(text, *k < n->nin ? n->in[*k] : NULL);
        ++*k;
        return;
    }
    if (arg->none) {
        text_add(text, "None");
        return;
    }
    if (list) {
        text_add(text, "[");
        for (int i = 0; i < arg->tensors.n; i++, ++*k) {
            text_add(text, i ? ", " : "");
            print_ref(text, *k < n->nin ? n->in[*k] : NULL);
        }
        text_add(text, "]");
        return;
    }
    switch (param->type) {
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        text_scalar(text, arg->scalar);
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        text_int(text, arg->i);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        text_add(text, "[");
        print_ir_ints(text, arg->ints.v, arg->ints.n);
        text_add(text, "]");
        break;
    case ARG_BOOL:
        text_add(text, arg->b ? "true" : "false");
        break;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        text_scalar(text, scalar_float(arg->f));
        break;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        text_add(text, (unsigned)arg->dtype < DT_COUNT ? dtype_name(arg->dtype) : "?");
        break;
    case ARG_STR:
    case ARG_STR_OPT:
        text_json_string(text, arg->str);
        break;
    case ARG_DATA:
        print_data(text, n, arg);
        break;
    default:
        text_add(text, "?");
        break;
    }
}

/* Trailing arguments that were not given are left out. */
static int shown_args(const Call *call) {
    int shown = call->op->nparam;
    while (shown > 0) {
        const Param *param = &call->op->param[shown - 1];
        bool tensor = param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT ||
                      param->type == ARG_TENSORS || param->type == ARG_TENSORS_OPT;
        if (tensor || !call->arg[shown - 1].none) {
            break;
        }
        shown--;
    }
    return shown;
}

static void print_ir_op(Text *text, const Node *n) {
    if (!n->call || !n->call->op) {
        text_add(text, "?()");
        return;
    }
    const OpInfo *op = n->call->op;
    text_printf(text, "%s%s%s(", op->name, op->overload[0] ? "." : "", op->overload);
    int k = 0, shown = shown_args(n->call);
    for (int p = 0; p < shown; p++) {
        if (p) {
            text_add(text, ", ");
        }
        if (op->param[p].kwonly) {
            text_printf(text, "%s=", op->param[p].name);
        }
        print_arg(text, n, p, &k);
    }
    text_add(text, ")");
    if (op->random) {
        text_printf(text, "@%lld", (long long)n->call->number);
    }
}

static void print_sid(Text *text, int sid, const Program *p) {
    if (sid == AT_BACKWARD) {
        text_add(text, "  # backward");
    } else if (p && sid >= 0 && sid < p->nstmts) {
        text_printf(text, "  # %s", program_path(text->arena, p, sid));
    }
}

/* The operands that are computed into a cat. */
static void print_joined(Text *text, const Node *n) {
    bool any = false;
    for (int k = 0; n->kind == NODE_OP && k < n->nin; k++) {
        if (node_joins_in_place(n, k)) {
            text_add(text, any ? " " : "  {joins ");
            print_ref(text, n->in[k]);
            any = true;
        }
    }
    text_add(text, any ? "}" : "");
}

static void print_node(Text *text, const Graph *g, const Node *n, const Program *p) {
    const Node *a = n->nin > 0 && n->in ? n->in[0] : NULL,
               *b = n->nin > 1 && n->in ? n->in[1] : NULL;
    text_add(text, "  ");
    if (n->kind != NODE_CHECK && n->kind != NODE_WRITE) {
        print_ref(text, n);
        text_add(text, ": ");
        print_layout(text, &n->t);
        text_add(text, " = ");
    }
    switch (n->kind) {
    case NODE_INPUT:
        text_printf(text, "input %d", n->number);
        break;
    case NODE_TANGENT:
        text_printf(text, "tangent %d", n->number);
        break;
    case NODE_OP:
        print_ir_op(text, n);
        break;
    case NODE_VIEW:
        text_add(text, "view ");
        print_ref(text, a);
        break;
    case NODE_WRITE:
        text_add(text, "write ");
        print_ref(text, a);
        text_add(text, " <- ");
        print_ref(text, b);
        break;
    case NODE_STORE:
        text_add(text, "store ");
        print_ref(text, a);
        text_add(text, " at ");
        print_layout(text, &n->slice);
        text_add(text, " <- ");
        print_ref(text, b);
        break;
    case NODE_CHECK: {
        static const char *const kinds[] = {"index in [-n, n)", "index in [0, n)", "nonzero"};
        text_printf(text, "%%%d: check ", n->id);
        print_ref(text, a);
        text_printf(text, " %s", (unsigned)n->check < COUNT_OF(kinds) ? kinds[n->check] : "?");
        if (n->check != CHECK_NONZERO) {
            text_printf(text, " n=%lld", (long long)n->bound);
        }
        text_printf(text, " else %s",
                    n->check_code >= ERR_none && n->check_code < ERR_COUNT
                        ? errcode_name(n->check_code)
                        : "?");
        break;
    }
    default:
        text_printf(text, "kind %d", (int)n->kind);
        break;
    }
    if (n->recomputes) {
        text_printf(text, "  {again %%%d}", n->recomputes->id);
    }
    if (n->group >= 0) {
        text_printf(text, "  {group %d}", n->group);
    }
    if (n->in_place) {
        text_add(text, "  {in place}");
    }
    print_joined(text, n);
    if (n->buffer >= 0) {
        text_printf(text, "  {b%d}", n->buffer);
    }
    (void)g;
    print_sid(text, n->sid, p);
    text_add(text, "\n");
}

static void print_input_name(Text *text, const Program *p, NameId name, int k) {
    if (p && name >= 0 && name < p->nnames) {
        text_add(text, p->names[name]);
    } else {
        text_printf(text, "input %d", k);
    }
}

void graph_print(Text *text, const Graph *g, const Program *p) {
    for (int i = 0; i < g->n; i++) {
        if (g->node[i]) {
            print_node(text, g, g->node[i], p);
        }
    }
    for (int i = 0; i < g->nret; i++) {
        const ReturnPlan *r = &g->ret[i];
        text_printf(text, "  return %d: ", i);
        if (r->aliases_input) {
            text_printf(text, "input storage %d", r->storage);
        } else {
            print_ref(text, r->value);
        }
        text_add(text, " as ");
        print_layout(text, &r->layout);
        if (r->grad) {
            text_add(text, " grad ");
            print_ref(text, r->grad);
        }
        if (r->before) {
            text_add(text, " before ");
            print_ref(text, r->before);
        }
        text_add(text, "\n");
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        if (g->written[k]) {
            text_printf(text, "  write back to input storage %d: ", k);
            print_ref(text, g->written[k]);
            text_add(text, "\n");
        }
    }
    for (int i = 0; i < g->ninp; i++) {
        if (g->inp[i].grad) {
            text_add(text, g->inp[i].external ? "  grad for the history of " : "  grad of ");
            print_input_name(text, p, g->inp[i].name, i);
            text_add(text, ": ");
            print_ref(text, g->inp[i].grad);
            text_add(text, "\n");
        }
    }
    if (g->backward_error != ERR_none) {
        text_printf(text, "  backward raises %s\n",
                    g->backward_error < ERR_COUNT ? errcode_name(g->backward_error) : "?");
    }
}

/* ---- Graphviz ---- */

/* A node's line without its statement, as a label. */
static void add_ir_label(Text *text, const Graph *g, const Node *n) {
    Text line = {.arena = text->arena};
    print_node(&line, g, n, NULL);
    for (const char *c = line.v; *c && *c != '\n'; c++) {
        if (*c == '"' || *c == '\\') {
            text_add(text, "\\");
        }
        if (c > line.v + 1 || *c != ' ') {
            text_addn(text, c, 1);
        }
    }
}

static void print_box(Text *text, const Graph *g, const Node *n) {
    static const char *const colors[] = {
        [NODE_INPUT] = "lightblue", [NODE_TANGENT] = "lightblue", [NODE_OP] = "white",
        [NODE_VIEW] = "gray90",     [NODE_WRITE] = "salmon",      [NODE_STORE] = "khaki",
        [NODE_CHECK] = "orange"};
    text_printf(text, "  n%d [label=\"", n->id);
    add_ir_label(text, g, n);
    text_printf(text, "\", style=filled, fillcolor=%s];\n",
                (unsigned)n->kind < COUNT_OF(colors) ? colors[n->kind] : "red");
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k]) {
            text_printf(text, "  n%d -> n%d;\n", n->in[k]->id, n->id);
        }
    }
}

static void print_output(Text *text, const char *kind, int k, const Node *of) {
    if (of) {
        text_printf(text, "  \"%s %d\" [shape=ellipse];\n  n%d -> \"%s %d\";\n", kind, k, of->id,
                    kind, k);
    }
}

void graph_print_dot(Text *text, const Graph *g, const Program *p) {
    (void)p;
    text_add(text, "digraph graph_ir {\n  node [shape=box, fontname=monospace];\n");
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        bool first = n->group >= 0, last = n->group >= 0;
        for (int j = 0; j < g->n && n->group >= 0; j++) {
            first &= j >= i || g->node[j]->group != n->group;
            last &= j <= i || g->node[j]->group != n->group;
        }
        if (first) {
            text_printf(text, "  subgraph cluster_%d {\n  label=\"group %d\";\n", n->group,
                        n->group);
        }
        print_box(text, g, n);
        if (last) {
            text_add(text, "  }\n");
        }
    }
    for (int k = 0; k < g->nret; k++) {
        print_output(text, "return", k, g->ret[k].aliases_input ? NULL : g->ret[k].value);
        print_output(text, "gradient of return", k, g->ret[k].grad);
        print_output(text, "before the backward, return", k, g->ret[k].before);
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        print_output(text, "write back to storage", k, g->written[k]);
    }
    for (int k = 0; k < g->ninp; k++) {
        print_output(text, "gradient of input", k, g->inp[k].grad);
    }
    text_add(text, "}\n");
}

void graph_dump(const Graph *g) {
    Arena arena = ARENA_EMPTY;
    Text text = {.arena = &arena};
    graph_print(&text, g, NULL);
    fputs(text.v ? text.v : "", stderr);
    arena_destroy(&arena);
}
