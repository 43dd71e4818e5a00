/* Mutators of ops and their arguments. */
#include "fuzz/mutate/mutant.h"

#include <math.h>
#include <string.h>

static bool is_op(const Stmt *s) { return s->kind == STMT_OP && s->op->id != OP_tensor; }
static bool arguments_is_literal(const Stmt *s) {
    return s->kind == STMT_OP && s->op->id == OP_tensor;
}
static bool is_inplace(const Stmt *s) { return s->kind == STMT_OP && s->op->kind == KIND_INPLACE; }

/* ---- ops ---- */

static bool arguments_same_parameters(const OpInfo *a, const OpInfo *b) {
    bool same = a->nparam == b->nparam && (a->nreturn == 1) == (b->nreturn == 1);
    for (int i = 0; i < a->nparam && same; i++) {
        const Param *p = &a->param[i], *q = &b->param[i];
        same = p->type == q->type && p->has_default == q->has_default &&
               p->list_size == q->list_size && strcmp(p->name, q->name) == 0;
    }
    return same;
}

bool mutator_make_inplace(Mutant *m) {
    Site *site = mutant_pick(m, is_op);
    for (int id = 0; site && id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (op->kind == KIND_INPLACE && op->class != CLASS_NEVER &&
            op->twin == site->stmt->op->id && arguments_same_parameters(op, site->stmt->op)) {
            site->stmt->op = op;
            return true;
        }
    }
    return false;
}

bool mutator_make_functional(Mutant *m) {
    Site *site = mutant_pick(m, is_inplace);
    const OpInfo *twin = site ? op_info(site->stmt->op->twin) : NULL;
    if (!twin || twin->class == CLASS_NEVER || !arguments_same_parameters(twin, site->stmt->op)) {
        return false;
    }
    Stmt *s = site->stmt;
    s->op = twin;
    if (s->nout == 0) {
        s->out = arena_array(m->arena, NameId, 1);
        s->out[0] = mutant_chance(m, 70) ? s->arg[0].tensor : mutant_fresh(m);
        s->nout = 1;
    }
    return true;
}

bool mutator_change_op(Mutant *m) {
    Site *site = mutant_pick(m, is_op);
    const OpInfo *chosen = NULL;
    int n = 0;
    for (int id = 0; site && id < OP_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id), *from = site->stmt->op;
        bool like = op != from && op->class != CLASS_NEVER && op->kind == from->kind &&
                    op->random == from->random && arguments_same_parameters(op, from);
        if (like && mutant_below(m, ++n) == 0) {
            chosen = op;
        }
    }
    if (chosen) {
        site->stmt->op = chosen;
    }
    return chosen != NULL;
}

/* ---- arguments ---- */

typedef struct ArgAt {
    Stmt *stmt;
    const Param *param;
    PArg *arg;
    const Site *site;
} ArgAt;

/* A given argument of one of these types, anywhere. */
static ArgAt pick_arg(Mutant *m, unsigned types) {
    ArgAt chosen = {NULL, NULL, NULL, NULL};
    int n = 0;
    for (int i = 0; i < m->nsite; i++) {
        Stmt *s = m->site[i].stmt;
        for (int k = 0; s->kind == STMT_OP && k < s->op->nparam; k++) {
            bool fits =
                s->arg[k].given && !s->arg[k].is_none && (types >> s->op->param[k].type & 1);
            if (fits && mutant_below(m, ++n) == 0) {
                chosen = (ArgAt){s, &s->op->param[k], &s->arg[k], &m->site[i]};
            }
        }
    }
    return chosen;
}

#define TYPE(name) (1u << ARG_##name)

bool mutator_change_operand(Mutant *m) {
    ArgAt at = pick_arg(m, TYPE(TENSOR) | TYPE(TENSOR_OPT) | TYPE(VALUE) | TYPE(TENSORS) |
                               TYPE(TENSORS_OPT));
    NameId name = at.arg ? mutant_bound(m, at.site) : NAME_NONE;
    if (name == NAME_NONE) {
        return false;
    }
    if (at.param->type == ARG_TENSORS || at.param->type == ARG_TENSORS_OPT) {
        if (at.arg->tensors.n == 0) {
            return false;
        }
        at.arg->tensors.v[mutant_below(m, at.arg->tensors.n)] = name;
        return true;
    }
    at.arg->is_tensor = true;
    at.arg->tensor = name;
    return true;
}

static int64_t other_int(Mutant *m, int64_t value) {
    static const int64_t usual[] = {0, 1, -1, 2, -2, 3, 4, 5, 7, 8, 9};
    switch (mutant_below(m, 6)) {
    case 0:
        return value == INT64_MAX ? 0 : value + 1;
    case 1:
        return value == INT64_MIN ? 0 : value - 1;
    case 2:
        return value == INT64_MIN ? 0 : -value;
    case 3:
        return value / 2;
    default:
        return usual[mutant_below(m, COUNT_OF(usual))];
    }
}

static void change_pint(Mutant *m, const Site *site, PInt *i) {
    NameId name = mutant_chance(m, 6) ? mutant_bound(m, site) : NAME_NONE;
    int64_t value = other_int(m, i->size_of == NAME_NONE ? i->value : 0);
    *i = name == NAME_NONE ? (PInt){NAME_NONE, value} : (PInt){name, mutant_below(m, 3)};
}

bool mutator_change_int(Mutant *m) {
    ArgAt at = pick_arg(m, TYPE(INT) | TYPE(INT_OPT) | TYPE(INTS) | TYPE(INTS_OPT));
    if (!at.arg || arguments_is_literal(at.stmt)) {
        return false;
    }
    if (at.param->type == ARG_INT || at.param->type == ARG_INT_OPT) {
        change_pint(m, at.site, &at.arg->i);
        return true;
    }
    int n = at.arg->ints.single ? 1 : at.arg->ints.n;
    if (n > 0) {
        change_pint(m, at.site, &at.arg->ints.v[mutant_below(m, n)]);
    }
    return n > 0;
}

bool mutator_change_list(Mutant *m) {
    ArgAt at = pick_arg(m, TYPE(INTS) | TYPE(INTS_OPT));
    if (!at.arg || at.arg->ints.single || arguments_is_literal(at.stmt)) {
        return false;
    }
    int n = at.arg->ints.n, kind = mutant_below(m, 3), i = mutant_below(m, n),
        j = mutant_below(m, n);
    PInt *v = arena_array(m->arena, PInt, n + 1);
    if (n > 0) {
        memcpy(v, at.arg->ints.v, sizeof *v * (size_t)n);
    }
    if (kind == 0 && n > 1) {
        PInt swapped = v[i];
        v[i] = v[j];
        v[j] = swapped;
    } else if (kind == 1 && n > 0) {
        memmove(v + i, v + i + 1, sizeof *v * (size_t)(n - i - 1));
        n--;
    } else {
        v[n] = (PInt){NAME_NONE, 1};
        n++;
    }
    at.arg->ints.v = v;
    at.arg->ints.n = n;
    return true;
}

static Scalar other_scalar(Mutant *m, Scalar s) {
    static const double special[] = {0, -0.0, 1, -1, 0.5, 2, -2, 0.1, 3, 1e30, -1e-30};
    switch (mutant_below(m, 8)) {
    case 0:
        return scalar_bool(mutant_chance(m, 50));
    case 1:
        return scalar_float(mutant_chance(m, 50) ? NAN : INFINITY);
    case 2:
        return scalar_int(other_int(m, s.kind == CAT_FLOAT ? 0 : s.i));
    case 3:
        return s.kind == CAT_FLOAT ? scalar_int(1) : scalar_float((double)s.i);
    default:
        return mutant_chance(m, 50) ? scalar_float(special[mutant_below(m, COUNT_OF(special))])
                                    : scalar_int(other_int(m, 1));
    }
}

bool mutator_change_scalar(Mutant *m) {
    ArgAt at =
        pick_arg(m, TYPE(SCALAR) | TYPE(SCALAR_OPT) | TYPE(VALUE) | TYPE(FLOAT) | TYPE(FLOAT_OPT));
    if (!at.arg || (at.param->type == ARG_VALUE && at.arg->is_tensor)) {
        return false;
    }
    if (at.param->type == ARG_FLOAT || at.param->type == ARG_FLOAT_OPT) {
        Scalar s = other_scalar(m, scalar_float(at.arg->f));
        at.arg->f = scalar_to_double(s);
    } else {
        at.arg->scalar = other_scalar(m, at.arg->scalar);
    }
    return true;
}

bool mutator_change_dtype_argument(Mutant *m) {
    ArgAt at = pick_arg(m, TYPE(DTYPE) | TYPE(DTYPE_OPT));
    if (!at.arg || arguments_is_literal(at.stmt)) {
        return false;
    }
    at.arg->dtype = (DType)mutant_below(m, DT_COUNT);
    return true;
}

bool mutator_change_flag(Mutant *m) {
    if (m->p->nfunctions > 0 && mutant_chance(m, 60)) {
        return mutant_change_function(m);
    }
    ArgAt at = pick_arg(m, TYPE(BOOL));
    if (!at.arg) {
        return false;
    }
    at.arg->b = !at.arg->b;
    return true;
}

bool mutator_drop_argument(Mutant *m) {
    ArgAt at = pick_arg(m, ~0u);
    if (!at.arg || !at.param->has_default) {
        return false;
    }
    *at.arg = (PArg){.given = false};
    return true;
}

/* ---- indices and literals ---- */

static PIndexItem other_item(Mutant *m, const Site *site) {
    PIndexItem item = {.tensor = NAME_NONE,
                       .start = {NAME_NONE, 0},
                       .stop = {NAME_NONE, 0},
                       .step = {NAME_NONE, 1}};
    item.kind = (IndexKind)mutant_below(m, INDEX_LIST + 1);
    item.start.value = other_int(m, 0);
    item.stop.value = other_int(m, 2);
    item.has_start = mutant_chance(m, 50);
    item.has_stop = mutant_chance(m, 50);
    item.has_step = mutant_chance(m, 25);
    item.step.value = 1 + mutant_below(m, 3);
    if (item.kind == INDEX_BOOL) {
        item.start.value = mutant_chance(m, 70);
    } else if (item.kind == INDEX_TENSOR) {
        item.tensor = mutant_bound(m, site);
        item.kind = item.tensor == NAME_NONE ? INDEX_NEWAXIS : INDEX_TENSOR;
    } else if (item.kind == INDEX_LIST) {
        item.count = 1 + mutant_below(m, 3);
        int64_t *list = arena_array(m->arena, int64_t, item.count);
        for (int i = 0; i < item.count; i++) {
            list[i] = mutant_below(m, 3) - 1;
        }
        item.list = list;
    }
    return item;
}

bool mutator_change_index(Mutant *m) {
    ArgAt at = pick_arg(m, TYPE(INDEX));
    if (!at.arg) {
        return false;
    }
    int n = at.arg->index.n, i = mutant_below(m, n + 1);
    PIndexItem *v = arena_array(m->arena, PIndexItem, n + 1);
    if (n > 0) {
        memcpy(v, at.arg->index.v, sizeof *v * (size_t)n);
    }
    if (i < n && mutant_chance(m, 20)) {
        memmove(v + i, v + i + 1, sizeof *v * (size_t)(n - i - 1));
        n--;
    } else {
        v[i] = other_item(m, at.site);
        n += i == n;
    }
    at.arg->index.v = v;
    at.arg->index.n = n;
    return true;
}

bool mutator_change_literal(Mutant *m) {
    Site *site = mutant_pick(m, arguments_is_literal);
    PArg *data = site ? &site->stmt->arg[op_param(site->stmt->op, "data")] : NULL;
    if (!data || data->data.n == 0) {
        return false;
    }
    DType dtype = site->stmt->arg[op_param(site->stmt->op, "dtype")].dtype;
    int64_t i = rng_below(&m->rng, min_i64(data->data.n, 1 << 20));
    if (dtype_is_float(dtype)) {
        element_store_double(data->data.data, dtype, i,
                             scalar_to_double(other_scalar(m, scalar_float(1))));
    } else {
        element_store_int(data->data.data, dtype, i,
                          dtype == DT_bool ? mutant_below(m, 2)
                                           : mutant_below(m, 9) - (dtype == DT_uint8 ? 0 : 4));
    }
    return true;
}

bool mutator_rename_output(Mutant *m) {
    Site *site = mutant_pick(m, is_op);
    NameId name = site && site->stmt->nout > 0 ? mutant_bound(m, site) : NAME_NONE;
    if (name == NAME_NONE) {
        return false;
    }
    site->stmt->out[mutant_below(m, site->stmt->nout)] = name;
    return true;
}
