/* Reducers that replace something by something simpler: a computed value by an input or a constant,
 * an op or a dtype by a plainer one, names by plain ones. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

#include "program/lang/uses.h"
#include "reference/eager.h"

#include <stdio.h>
#include <string.h>

/* ---- a value by an input or a constant ---- */

static bool names_an_input(const Program *p, NameId name) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].name == name) {
            return true;
        }
    }
    return false;
}

/* The values that the reference computes for the names that `s` binds; NULL if it raises before. */
static const CallResult *reduce_replace_observe(const Program *p, const Stmt *s) {
    Program *prefix = program_clone(p->arena, p);
    edit_cut(prefix, s->sid);
    prefix->expect = NULL;
    prefix->backward.given = false;
    prefix->nrecalls = 0;
    prefix->returns = arena_copy(p->arena, s->out, (int64_t)sizeof *s->out * s->nout);
    prefix->nreturns = s->nout;
    const RunOptions run = {.limits = LIMITS_DEFAULT};
    const CallResult *call = &reference_run(prefix, &run, p->arena)->calls[0];
    return call->ok && call->nreturns == s->nout ? call : NULL;
}

static Input input_like(NameId name, const ReturnRecord *seen) {
    const Values *v = &seen->values;
    Input in = {.name = name, .dtype = v->dtype, .ndim = v->ndim, .storage = NAME_NONE};
    memcpy(in.size, v->size, sizeof in.size);
    contiguous_strides(in.size, in.ndim, in.stride);
    in.requires_grad = in.requires_grad_given = seen->requires_grad;
    in.data = (InputData){.given = true, .is_fill = true, .fill = FILL_dyadic, .seed = 1};
    return in;
}

static Input *with_input(Arena *arena, const Input *inputs, int n, Input more) {
    Input *v = arena_array(arena, Input, n + 1);
    if (n > 0) {
        memcpy(v, inputs, sizeof *v * (size_t)n);
    }
    v[n] = more;
    return v;
}

static void add_input(Program *p, Input in, bool passed) {
    p->inputs = with_input(p->arena, p->inputs, p->ninputs, in);
    p->ninputs++;
    p->inputs_given = true;
    for (int i = 0; i < p->nrecalls; i++) {
        Recall *r = &p->recalls[i];
        if (!r->keep) {
            r->inputs = with_input(p->arena, r->inputs, r->ninputs, in);
            r->ninputs++;
        }
    }
    if (p->args_given && passed) {
        NameId *args = arena_array(p->arena, NameId, p->nargs + 1);
        memcpy(args, p->args, sizeof *args * (size_t)p->nargs);
        args[p->nargs++] = in.name;
        p->args = args;
    }
}

/* Replaces `s` by ones of the size and dtype seen. */
static void make_constant(Program *p, Stmt *s, const ReturnRecord *seen) {
    const Values *v = &seen->values;
    Stmt *ones = stmt_make_op(p->arena, op_info(OP_ones));
    PArg *size = &ones->arg[op_param(ones->op, "size")],
         *dtype = &ones->arg[op_param(ones->op, "dtype")];
    size->given = dtype->given = true;
    size->ints.v = arena_array(p->arena, PInt, v->ndim + 1);
    size->ints.n = v->ndim;
    for (int d = 0; d < v->ndim; d++) {
        size->ints.v[d] = (PInt){NAME_NONE, v->size[d]};
    }
    dtype->dtype = v->dtype;
    ones->next = s->next;
    ones->sid = s->sid;
    ones->nout = 1;
    ones->out = s->out;
    *s = *ones;
}

Step reduce_value(Program *p, int k) {
    if (k >= 2 * p->nstmts) {
        return STEP_END;
    }
    Stmt **stmts = edit_statements(p->arena, p);
    Stmt *s = stmts[p->nstmts - 1 - k / 2]; /* the last first: what it reads is needless then */
    bool constant = k % 2 == 1;
    if (s->kind != STMT_OP || s->nout == 0 || program_is_after(p, s->sid) ||
        s->op->kind == KIND_INPLACE || s->op->kind == KIND_INPLACE_VIEW ||
        s->op->kind == KIND_META || (s->op->kind == KIND_STORAGE && s->op->param[0].writes) ||
        (constant && (s->nout != 1 || s->op->kind == KIND_FACTORY))) {
        return STEP_NOTHING;
    }
    bool in_setup = s->sid < (p->body.first ? p->body.first->sid : p->nstmts);
    for (int i = 0; i < s->nout; i++) {
        if (names_an_input(p, s->out[i])) {
            return STEP_NOTHING;
        }
    }
    const CallResult *seen = reduce_replace_observe(p, s);
    if (!seen) {
        return STEP_NOTHING;
    }
    if (constant) {
        make_constant(p, s, &seen->returns[0]);
        return STEP_MADE;
    }
    if (p->ninputs + s->nout > MAX_INPUTS) {
        return STEP_NOTHING;
    }
    for (int i = 0; i < s->nout; i++) {
        add_input(p, input_like(s->out[i], &seen->returns[i]), !in_setup);
    }
    bool *drop = arena_array(p->arena, bool, p->nstmts);
    drop[s->sid] = true;
    edit_drop(p, drop);
    return STEP_MADE;
}

/* ---- ops ---- */

/* The plainest op of each class first. */
static const OpId PLAIN[] = {OP_neg,         OP_mul_Tensor,  OP_mul_Scalar, OP_sum,
                             OP_clone,       OP_zero_,       OP_neg_,       OP_mul__Tensor,
                             OP_mul__Scalar, OP_copy_,       OP_abs,        OP_add_Tensor,
                             OP_add_Scalar,  OP_add__Tensor, OP_add__Scalar};

static bool reduce_replace_same_parameters(const OpInfo *a, const OpInfo *b) {
    bool same = a->kind == b->kind && a->nparam == b->nparam && a->nreturn == b->nreturn;
    for (int i = 0; same && i < a->nparam; i++) {
        same =
            a->param[i].type == b->param[i].type && strcmp(a->param[i].name, b->param[i].name) == 0;
    }
    return same;
}

Step reduce_op(Program *p, int k) {
    if (k >= p->nstmts * COUNT_OF(PLAIN)) {
        return STEP_END;
    }
    Stmt *s = edit_statements(p->arena, p)[k / COUNT_OF(PLAIN)];
    const OpInfo *to = op_info(PLAIN[k % COUNT_OF(PLAIN)]);
    if (s->kind != STMT_OP || !reduce_replace_same_parameters(s->op, to)) {
        return STEP_NOTHING;
    }
    for (int i = 0; i <= k % COUNT_OF(PLAIN); i++) {
        if (s->op->id == PLAIN[i]) {
            return STEP_NOTHING; /* it is already as plain */
        }
    }
    s->op = to;
    return STEP_MADE;
}

/* ---- dtypes ---- */

static const DType SIMPLE[] = {DT_float32, DT_int64};

/* Is dtype number `rank` of SIMPLE simpler than `from`? It is of the same kind: a float for a
 * float. */
static bool is_simpler(DType from, int rank) {
    return from != DT_bool && from != SIMPLE[rank] &&
           dtype_is_float(from) == dtype_is_float(SIMPLE[rank]);
}

static void reduce_replace_convert(Arena *arena, InputData *data, DType from, DType to) {
    if (data->given && !data->is_fill) {
        char *v = arena_alloc(arena, max_i64(data->numel * dtype_bytes(to), 1));
        for (int64_t i = 0; i < data->numel; i++) {
            element_cast(v, to, i, data->data, from, i);
        }
        data->data = v;
    }
}

static void retype(Arena *arena, Input *inputs, int n, DType from, DType to) {
    for (int i = 0; i < n; i++) {
        if (inputs[i].dtype == from) {
            reduce_replace_convert(arena, &inputs[i].data, from, to);
            inputs[i].dtype = to;
        }
    }
}

/* Replaces a dtype everywhere. */
Step reduce_dtype(Program *p, int k) {
    if (k >= DT_COUNT) {
        return STEP_END;
    }
    DType from = (DType)k;
    int rank = dtype_is_float(from) ? 0 : 1;
    if (!is_simpler(from, rank)) {
        return STEP_NOTHING;
    }
    bool found = false;
    for (int i = 0; i < p->ninputs; i++) {
        found |= p->inputs[i].dtype == from;
    }
    retype(p->arena, p->inputs, p->ninputs, from, SIMPLE[rank]);
    for (int r = 0; r < p->nrecalls; r++) {
        retype(p->arena, p->recalls[r].inputs, p->recalls[r].ninputs, from, SIMPLE[rank]);
    }
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        for (int a = 0; s->kind == STMT_OP && s->op->id != OP_tensor && a < s->op->nparam; a++) {
            ArgType type = s->op->param[a].type;
            bool is_dtype = (type == ARG_DTYPE || type == ARG_DTYPE_OPT) && s->arg[a].given &&
                            !s->arg[a].is_none;
            if (is_dtype && s->arg[a].dtype == from) {
                s->arg[a].dtype = SIMPLE[rank];
                found = true;
            }
        }
    }
    return found ? STEP_MADE : STEP_NOTHING;
}

/* ---- names ---- */

typedef struct ReplaceRenaming {
    const char **name; /* by NameId; NULL: not met yet */
    Arena *arena;
    int n;
} ReplaceRenaming;

static void reduce_replace_meet(void *user, NameId *name, Use use) {
    ReplaceRenaming *r = user;
    (void)use;
    if (*name != NAME_NONE && !r->name[*name]) {
        r->name[*name] = arena_printf(r->arena, "v%d", r->n++);
    }
}

/* Inputs x0, x1, .. and values v0, v1, .. in the order in which they come. */
Step reduce_names(Program *p, int k) {
    if (k > 0) {
        return STEP_END;
    }
    ReplaceRenaming r = {arena_array(p->arena, const char *, p->nnames + 1), p->arena, 0};
    for (int i = 0; i < p->ninputs; i++) {
        r.name[p->inputs[i].name] = arena_printf(p->arena, "x%d", i);
    }
    int storages = 0;
    for (int i = 0; i < p->ninputs; i++) {
        NameId storage = p->inputs[i].storage;
        if (storage != NAME_NONE && !r.name[storage]) {
            r.name[storage] = arena_printf(p->arena, "s%d", storages++);
        }
    }
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        stmt_uses(stmts[sid], reduce_replace_meet, &r);
    }
    bool changed = false;
    for (int i = 0, rest = 0; i < p->nnames; i++) {
        changed |= r.name[i] && strcmp(r.name[i], p->names[i]) != 0;
        r.name[i] = r.name[i] ? r.name[i] : arena_printf(p->arena, "n%d", rest++);
    }
    p->names = r.name;
    return changed ? STEP_MADE : STEP_NOTHING;
}
