/* Statements. A block is statements and an end: the byte 0 ends a block, so bytes that have run out
 * end every block that is open.
 *
 * An op is known by its code, a hash of its name, so that bytes keep their meaning when rows are
 * added to the op table; an unknown code means the op with the next code. The encoder walks a copy
 * of the program, and writes what it reads. */
#include "fuzz/codec/coder.h"

#include <string.h>

typedef enum CodecStmtKind { END, OP, WITH, IF, ASSERT, PROBE, OTHER, KINDS } CodecStmtKind;
/* Which kind a byte is, mod 16: most statements are ops. */
static const uint8_t kind_of[16] = {END, OP, WITH, IF, ASSERT, PROBE, OTHER, OP,
                                    OP,  OP, OP,   OP, OP,     OP,    OP,    OP};
enum { CODE_BYTES = 3 }; /* of OpInfo.code */

/* ---- ops ---- */

static const OpInfo *code_op(Coder *c, const OpInfo *op) {
    uint32_t read = 0;
    for (int i = 0; i < CODE_BYTES; i++) {
        read |= (uint32_t)code_front(c, c->encoding ? (uint8_t)(op->code >> (8 * i)) : 0)
                << (8 * i);
    }
    if (c->encoding) {
        return op;
    }
    op = op_by_code(read);
    return c->function && !function_takes(op) ? op_info(OP_detach) : op;
}

/* ---- arguments ---- */

/* Where JSON takes a plain number only: within 2^53. */
static int64_t code_dim(Coder *c, int64_t dim) {
    return code_int(c, dim) % (((int64_t)1 << 53) + 1);
}

static PInt code_pint(Coder *c, PInt value) {
    bool size_of = code_rare(c, c->encoding && value.size_of != NAME_NONE);
    NameId name = size_of ? code_name(c, value.size_of) : NAME_NONE;
    int64_t read = size_of ? code_dim(c, value.value) : code_int(c, value.value);
    return (PInt){name, read};
}

static PInt *code_pints(Coder *c, PInt *v, int n) {
    PInt *out = c->encoding ? v : arena_array(c->arena, PInt, max_i64(n, 1));
    for (int i = 0; i < n; i++) {
        out[i] = code_pint(c, out[i]);
    }
    return out;
}

static bool code_bound(Coder *c, bool has, PInt *value) {
    has = code_flag(c, has);
    if (has) {
        *value = code_pint(c, *value);
    }
    return has;
}

static PIndexItem code_index_item(Coder *c, PIndexItem item) {
    item.kind = (IndexKind)code_choice(c, (int)item.kind, INDEX_LIST + 1);
    switch (item.kind) {
    case INDEX_INT:
        item.start = code_pint(c, item.start);
        break;
    case INDEX_BOOL:
        item.start.value = code_flag(c, item.start.value != 0);
        break;
    case INDEX_SLICE:
        item.has_start = code_bound(c, item.has_start, &item.start);
        item.has_stop = code_bound(c, item.has_stop, &item.stop);
        item.has_step = code_bound(c, item.has_step, &item.step);
        break;
    case INDEX_TENSOR:
        item.tensor = code_name(c, item.tensor);
        break;
    case INDEX_LIST: {
        item.count = (int)code_count(c, item.count, 4096);
        int64_t *list = arena_array(c->arena, int64_t, max_i64(item.count, 1));
        for (int i = 0; i < item.count; i++) {
            list[i] = code_int(c, c->encoding ? item.list[i] : 0);
        }
        item.list = list;
        break;
    }
    case INDEX_NEWAXIS:
    case INDEX_ELLIPSIS:
        break;
    }
    return item;
}

static void code_index(Coder *c, PArg *a) {
    a->index.n = (int)code_count(c, a->index.n, 4096);
    PIndexItem *out = arena_array(c->arena, PIndexItem, max_i64(a->index.n, 1));
    for (int i = 0; i < a->index.n; i++) {
        PIndexItem none = {.tensor = NAME_NONE,
                           .start = {NAME_NONE, 0},
                           .stop = {NAME_NONE, 0},
                           .step = {NAME_NONE, 0}};
        out[i] = code_index_item(c, c->encoding ? a->index.v[i] : none);
    }
    a->index.v = out;
}

/* A string argument: an index into those of ATen's schemas, or the text. New ones are appended. */
static const char *code_string(Coder *c, const char *text) {
    static const char *const known[] = {"floor", "trunc", "none", "tanh",     "sum", "mean", "prod",
                                        "amax",  "amin",  "add",  "multiply", "ij",  "xy"};
    int k = 0;
    while (c->encoding && k < COUNT_OF(known) && strcmp(known[k], text) != 0) {
        k++;
    }
    if (!code_rare(c, k == COUNT_OF(known))) {
        k = code_choice(c, k, 64);
        return c->encoding ? text : known[k % COUNT_OF(known)];
    }
    const char *read = code_text(c, text);
    return c->encoding ? text : read;
}

static void code_value(Coder *c, const Param *param, PArg *a) {
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        a->tensor = code_name(c, a->tensor);
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        a->tensors.v =
            code_name_list(c, a->tensors.v, &a->tensors.n, param->type == ARG_TENSORS_OPT);
        break;
    case ARG_VALUE:
        a->is_tensor = code_flag(c, a->is_tensor);
        if (a->is_tensor) {
            a->tensor = code_name(c, a->tensor);
        } else {
            a->scalar = code_scalar(c, a->scalar);
        }
        break;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        a->scalar = code_scalar(c, a->scalar);
        break;
    case ARG_INT:
    case ARG_INT_OPT:
        a->i = code_pint(c, a->i);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT: {
        bool single = param->list_size > 0 && code_flag(c, a->ints.single);
        int n = single ? 1 : (int)code_count(c, a->ints.n, 4096);
        a->ints.v = code_pints(c, a->ints.v, n);
        a->ints.n = n;
        a->ints.single = single;
        break;
    }
    case ARG_BOOL:
        a->b = code_flag(c, a->b);
        break;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        a->f = code_double(c, a->f);
        break;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        a->dtype = (DType)code_choice(c, (int)a->dtype, DT_COUNT);
        break;
    case ARG_STR:
    case ARG_STR_OPT:
        a->str = code_string(c, a->str);
        break;
    case ARG_INDEX:
        code_index(c, a);
        break;
    case ARG_DATA:
        break; /* code_literal */
    }
}

static bool is_optional(ArgType type) {
    return type == ARG_TENSOR_OPT || type == ARG_SCALAR_OPT || type == ARG_INT_OPT ||
           type == ARG_INTS_OPT || type == ARG_FLOAT_OPT || type == ARG_DTYPE_OPT ||
           type == ARG_STR_OPT;
}

static void code_arg(Coder *c, const Param *param, PArg *a) {
    typedef enum Presence { ABSENT, NONE, GIVEN, ALSO_GIVEN, PRESENCES } Presence;
    Presence presence = !a->given ? ABSENT : a->is_none ? NONE : GIVEN;
    presence = (Presence)code_choice(c, (int)presence, PRESENCES);
    bool none = presence == NONE && is_optional(param->type),
         absent = presence == ABSENT && param->has_default;
    a->given = !absent;
    a->is_none = none;
    if (!absent && !none) {
        code_value(c, param, a);
    }
}

/* A tensor literal's size holds plain numbers, and its data fills it. */
static void code_literal(Coder *c, Stmt *s) {
    PArg *data = &s->arg[op_param(s->op, "data")], *size = &s->arg[op_param(s->op, "size")];
    DType dtype = s->arg[op_param(s->op, "dtype")].dtype;
    bool empty = false;
    for (int i = 0; i < size->ints.n && !c->encoding; i++) {
        PInt *d = &size->ints.v[i];
        *d = (PInt){NAME_NONE, d->value & INT64_MAX};
        empty |= d->value == 0;
    }
    /* no more elements than there may be bytes for */
    int64_t numel = 1, most = c->limits->max_elements;
    most = empty ? most : min_i64(c->n, most);
    for (int i = 0; i < size->ints.n && !c->encoding; i++) {
        PInt *d = &size->ints.v[i];
        if (d->value > most / numel) {
            d->value = 1;
        }
        numel *= max_i64(d->value, 1);
    }
    numel = empty ? 0 : numel;
    if (c->encoding) {
        code_elements(c, data->data.data, dtype, data->data.n);
        return;
    }
    data->given = true;
    data->data.n = numel;
    data->data.data = arena_alloc(c->arena, max_i64(numel * dtype_bytes(dtype), 1));
    code_elements(c, data->data.data, dtype, numel);
}

/* ---- kinds of statements ---- */

/* `several`: the op's result is an array. */
static void code_out(Coder *c, Stmt *s, bool several, bool optional) {
    s->out_list = several != code_rare(c, s->out_list != several);
    if (s->out_list) {
        s->out = code_name_list(c, s->out, &s->nout, false);
    } else if (!optional || code_flag(c, s->nout > 0)) {
        s->out = c->encoding ? s->out : arena_array(c->arena, NameId, 1);
        s->out[0] = code_name(c, s->out[0]);
        s->nout = 1;
    }
}

static void code_op_stmt(Coder *c, Stmt *s) {
    s->op = code_op(c, s->op);
    const OpInfo *op = s->op;
    if (!c->encoding) {
        s->arg = arena_array(c->arena, PArg, op->nparam);
    }
    bool writes = false;
    for (int i = 0; i < op->nparam; i++) {
        writes |= op->param[i].writes;
        code_arg(c, &op->param[i], &s->arg[i]);
    }
    if (op->id == OP_tensor) {
        code_literal(c, s);
    }
    if (op->kind == KIND_FACTORY && !c->function) {
        s->requires_grad_given = code_flag(c, s->requires_grad_given);
        s->requires_grad = s->requires_grad_given && code_flag(c, s->requires_grad);
    }
    code_out(c, s, op->nreturn != 1 && !writes, writes);
}

static void code_predicate(Coder *c, Predicate *p, int depth) {
    PredicateKind kind =
        (PredicateKind)code_choice(c, (int)p->kind, c->function ? PRED_COUNT : PRED_not + 1);
    p->kind = kind == PRED_not && depth == MAX_NESTING ? PRED_is_grad_enabled : kind;
    if (p->kind == PRED_not) {
        p->inner = c->encoding ? p->inner : arena_new(c->arena, Predicate);
        code_predicate(c, p->inner, depth + 1);
        return;
    }
    p->of = predicate_names(p->kind) ? code_name(c, p->of) : NAME_NONE;
    if (p->kind == PRED_needs_input_grad && c->function->plain) {
        p->kind = PRED_is_grad_enabled;
    } else if (p->kind == PRED_needs_input_grad) {
        p->dim = code_choice(c, (int)p->dim, c->function->nparams);
    } else if (p->kind == PRED_dtype) {
        p->dtype = (DType)code_choice(c, (int)p->dtype, DT_COUNT);
    } else if (p->kind == PRED_dim) {
        p->dim = code_dim(c, p->dim);
    }
}

static void code_grad(Coder *c, Stmt *s) {
    GradStmt *g = s->grad;
    if (!c->encoding) {
        g = s->grad = arena_new(c->arena, GradStmt);
    }
    g->accumulates = c->has_after && code_flag(c, g->accumulates);
    g->outputs = code_name_list(c, g->outputs, &g->noutputs, false);
    if (!g->accumulates) {
        g->inputs = code_name_list(c, g->inputs, &g->ninputs, false);
    }
    if (code_flag(c, g->ngrad_outputs >= 0)) {
        g->grad_outputs = code_name_list(c, g->grad_outputs, &g->ngrad_outputs, true);
    } else {
        g->ngrad_outputs = -1;
    }
    g->create_graph = code_flag(c, g->create_graph);
    g->retain_given = code_flag(c, g->retain_given);
    g->retain_graph = g->retain_given && code_flag(c, g->retain_graph);
    if (g->accumulates) {
        return;
    }
    g->allow_unused = code_flag(c, g->allow_unused);
    s->out = code_name_list(c, s->out, &s->nout, false);
    s->out_list = true;
}

static void code_dot_grad(Coder *c, Stmt *s) {
    DotGradStmt *d = s->dot_grad;
    if (!c->encoding) {
        d = s->dot_grad = arena_new(c->arena, DotGradStmt);
    }
    d->self = code_name(c, d->self);
    d->set = code_flag(c, d->set);
    if (!d->set) {
        d->value = NAME_NONE;
        s->nout = 1;
        s->out = c->encoding ? s->out : arena_array(c->arena, NameId, 1);
        s->out[0] = code_name(c, s->out[0]);
    } else {
        bool none = code_flag(c, c->encoding && d->value == NAME_NONE);
        d->value = none ? NAME_NONE : code_name(c, d->value);
    }
}

static CodecStmtKind kind_of_stmt(const Stmt *s) {
    static const CodecStmtKind kinds[] = {[STMT_OP] = OP,
                                          [STMT_WITH] = WITH,
                                          [STMT_IF] = IF,
                                          [STMT_ASSERT] = ASSERT,
                                          [STMT_PROBE] = PROBE,
                                          [STMT_GRAD] = OTHER,
                                          [STMT_GRAPH_BREAK] = OTHER,
                                          [STMT_APPLY] = OTHER,
                                          [STMT_HOOK] = OTHER,
                                          [STMT_DOT_GRAD] = OTHER};
    return kinds[s->kind];
}

/* Which kind of statement comes next. */
static CodecStmtKind code_kind(Coder *c, CodecStmtKind kind, int depth) {
    kind = (CodecStmtKind)kind_of[code_front(c, (uint8_t)kind) %
                                  COUNT_OF(kind_of)]; /* the first bytes are the kinds themselves */
    if (!c->encoding && c->statements >= c->limits->max_statements) {
        return END;
    }
    if (c->function && (kind == PROBE || kind == OTHER)) {
        return OP;
    }
    return (kind == WITH || kind == IF) && depth == MAX_NESTING ? (c->function ? OP : OTHER) : kind;
}

/* Which of the statements that are neither ops nor frequent. */
static StmtKind code_other(Coder *c, StmtKind kind) {
    static const StmtKind others[] = {STMT_GRAD, STMT_GRAPH_BREAK, STMT_APPLY, STMT_HOOK,
                                      STMT_DOT_GRAD};
    if (!c->has_functions) {
        return code_flag(c, kind == STMT_GRAPH_BREAK) ? STMT_GRAPH_BREAK : STMT_GRAD;
    }
    int which = kind == STMT_DOT_GRAD ? 4
                : kind == STMT_HOOK   ? 3
                : kind == STMT_APPLY  ? 2
                                      : kind == STMT_GRAPH_BREAK;
    kind = others[code_choice(c, which, COUNT_OF(others) - !c->has_after)];
    bool lacks = (kind == STMT_APPLY && !codec_has_function(c, false)) ||
                 (kind == STMT_HOOK && !codec_has_function(c, true));
    return lacks ? STMT_GRAPH_BREAK : kind;
}

static void code_stmt(Coder *c, CodecStmtKind kind, Stmt *s, int depth) {
    static const StmtKind stmt_kinds[] = {[OP] = STMT_OP,
                                          [WITH] = STMT_WITH,
                                          [IF] = STMT_IF,
                                          [ASSERT] = STMT_ASSERT,
                                          [PROBE] = STMT_PROBE};
    StmtKind other = kind == OTHER ? code_other(c, s->kind) : STMT_OP;
    if (!c->encoding) {
        s->kind = kind == OTHER ? other : stmt_kinds[kind];
    }
    switch (s->kind) {
    case STMT_OP:
        code_op_stmt(c, s);
        break;
    case STMT_WITH:
        s->grad_enabled = code_flag(c, s->grad_enabled);
        if (c->has_forms) {
            s->context = (BlockContext)code_choice(c, (int)s->context, CONTEXT_COUNT);
            bool flag = s->reentrant || s->autocast == DT_float16;
            bool chooses = s->context == CONTEXT_checkpoint || s->context == CONTEXT_autocast;
            flag = chooses && code_flag(c, flag);
            s->reentrant = s->context == CONTEXT_checkpoint && flag;
            s->autocast = s->context != CONTEXT_autocast ? 0 : flag ? DT_float16 : DT_bfloat16;
            s->grad_enabled &= s->context == CONTEXT_grad_mode;
        }
        code_block(c, &s->body, depth + 1);
        break;
    case STMT_IF:
        code_predicate(c, &s->predicate, 0);
        code_block(c, &s->body, depth + 1);
        s->has_else = code_flag(c, s->has_else);
        if (s->has_else) {
            code_block(c, &s->orelse, depth + 1);
        }
        break;
    case STMT_ASSERT:
        code_predicate(c, &s->predicate, 0);
        break;
    case STMT_PROBE:
        s->probe = (ProbeKind)code_choice(c, (int)s->probe, PROBE_COUNT);
        s->of = s->probe == PROBE_is_grad_enabled ? NAME_NONE : code_name(c, s->of);
        break;
    case STMT_GRAD:
        code_grad(c, s);
        break;
    case STMT_GRAPH_BREAK:
        break;
    case STMT_APPLY:
        code_apply(c, s);
        break;
    case STMT_HOOK:
        code_hook(c, s);
        break;
    case STMT_DOT_GRAD:
        code_dot_grad(c, s);
        break;
    case STMT_COUNT:
        break;
    }
    s->extra = code_extra(c, s->extra);
}

void code_block(Coder *c, Block *block, int depth) {
    Stmt *tail = NULL;
    Stmt *next = c->encoding ? block->first : NULL;
    for (;;) {
        CodecStmtKind kind = code_kind(c, next ? kind_of_stmt(next) : END, depth);
        if (kind == END) {
            return;
        }
        if (c->encoding) {
            code_stmt(c, kind, next, depth);
            next = next->next;
        } else {
            Stmt *s = arena_new(c->arena, Stmt);
            s->of = NAME_NONE;
            c->statements++;
            block_append(block, s, &tail);
            code_stmt(c, kind, s, depth);
        }
    }
}
