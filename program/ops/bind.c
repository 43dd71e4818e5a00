/* From arguments as written to values: names are looked up in the environment, size_of is
 * evaluated, defaults come from the schema.
 *
 * Arguments are bound in schema order; the first that fails is the statement's error. Lists are
 * built in the arena; scalars, literal data and index lists point into the program. */
#include "program/ops/emit.h"
#include "program/lang/program.h"

typedef struct Binder {
    const Program *p;
    Tensor *const *env;
    Arena *arena;
    Error *err;
} Binder;

static const char *name_text(const Binder *b, NameId name) { return b->p->names[name]; }

static ErrCode bind_tensor(const Binder *b, NameId name, Tensor **out) {
    *out = b->env[name];
    return *out ? ERR_none
                : error_set(b->err, ERR_invalid, "the name '%s' is not bound", name_text(b, name));
}

/* The size of a tensor along a dim (size_of). */
static ErrCode bind_size(const Binder *b, const PInt *i, int64_t *out) {
    Tensor *t;
    TRY(bind_tensor(b, i->size_of, &t));
    int dim;
    TRY(dim_wrap(i->value, t->ndim, &dim, b->err));
    if (t->ndim == 0) {
        return error_set(b->err, ERR_index_range,
                         "dimension specified as %lld but tensor has no dimensions",
                         (long long)i->value);
    }
    *out = t->size[dim];
    return ERR_none;
}

static inline ErrCode bind_int(const Binder *b, const PInt *i, int64_t *out) {
    *out = i->value;
    return i->size_of == NAME_NONE ? ERR_none : bind_size(b, i, out);
}

static ErrCode bind_tensors(const Binder *b, const PArg *a, Arg *out) {
    int n = a->tensors.n;
    if (n > MAX_SLOTS - 8) { /* with the other arguments, what derivative rules have room for */
        return error_set(b->err, ERR_limit, "a list of %d tensors", n);
    }
    Tensor **v = arena_array(b->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        if (a->tensors.v[i] != NAME_NONE) {
            TRY(bind_tensor(b, a->tensors.v[i], &v[i]));
        }
    }
    out->tensors.v = v;
    out->tensors.n = n;
    return ERR_none;
}

/* A single int where a list of N is wanted stands for all N. */
static ErrCode bind_ints(const Binder *b, const Param *param, const PArg *a, Arg *out) {
    int n = a->ints.single ? (param->list_size > 0 ? param->list_size : 1) : a->ints.n;
    int64_t *v = arena_alloc_raw(b->arena, (int64_t)sizeof *v * n);
    for (int i = 0; i < n; i++) {
        TRY(bind_int(b, &a->ints.v[a->ints.single ? 0 : i], &v[i]));
    }
    out->ints.v = v;
    out->ints.n = n;
    return ERR_none;
}

static ErrCode bind_index(const Binder *b, const PArg *a, Arg *out) {
    int n = a->index.n;
    IndexItem *v = arena_alloc_raw(b->arena, (int64_t)sizeof *v * n);
    for (int i = 0; i < n; i++) {
        const PIndexItem *from = &a->index.v[i];
        IndexItem *to = &v[i];
        to->kind = from->kind;
        to->has_start = from->has_start;
        to->has_stop = from->has_stop;
        to->has_step = from->has_step;
        to->start = to->stop = to->step = 0;
        switch (from->kind) {
        case INDEX_INT:
        case INDEX_BOOL:
            TRY(bind_int(b, &from->start, &to->start));
            break;
        case INDEX_SLICE:
            if (from->has_start) {
                TRY(bind_int(b, &from->start, &to->start));
            }
            if (from->has_stop) {
                TRY(bind_int(b, &from->stop, &to->stop));
            }
            if (from->has_step) {
                TRY(bind_int(b, &from->step, &to->step));
            }
            break;
        case INDEX_TENSOR:
            TRY(bind_tensor(b, from->tensor, &to->tensor));
            break;
        case INDEX_LIST:
            to->list = from->list;
            to->count = from->count;
            break;
        case INDEX_NEWAXIS:
        case INDEX_ELLIPSIS:
            break;
        }
    }
    out->index.v = v;
    out->index.n = n;
    return ERR_none;
}

static inline ErrCode bind_arg(const Binder *b, const Param *param, const PArg *a, Arg *out) {
    if (a->is_none) {
        *out = (Arg){.none = true};
        return ERR_none;
    }
    switch (param->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        out->is_tensor = true;
        return bind_tensor(b, a->tensor, &out->tensor);
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return bind_tensors(b, a, out);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        out->scalar = a->scalar;
        return ERR_none;
    case ARG_INT:
    case ARG_INT_OPT:
        return bind_int(b, &a->i, &out->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return bind_ints(b, param, a, out);
    case ARG_BOOL:
        out->b = a->b;
        return ERR_none;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        out->f = a->f;
        return ERR_none;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        out->dtype = a->dtype;
        return ERR_none;
    case ARG_STR:
    case ARG_STR_OPT:
        out->str = a->str;
        return ERR_none;
    case ARG_INDEX:
        return bind_index(b, a, out);
    case ARG_VALUE:
        out->is_tensor = a->is_tensor;
        if (a->is_tensor) {
            return bind_tensor(b, a->tensor, &out->tensor);
        }
        out->scalar = a->scalar;
        return ERR_none;
    case ARG_DATA:
        out->data.data = a->data.data;
        out->data.n = a->data.n;
        return ERR_none;
    }
    return ERR_none;
}

ErrCode stmt_bind(const Stmt *stmt, const Program *p, Tensor *const *env, Arena *arena, Call *call,
                  Error *err) {
    const OpInfo *op = stmt->op;
    Binder b = {p, env, arena, err};
    call->op = op;
    for (int i = 0; i < op->nparam; i++) {
        const Param *param = &op->param[i];
        if (!stmt->arg[i].given) {
            CHECK(param->has_default);
            call->arg[i] = param->def;
            continue;
        }
        Arg *out = &call->arg[i];
        out->none = out->is_tensor = false;
        TRY(bind_arg(&b, param, &stmt->arg[i], out));
    }
    return ERR_none;
}
