/* Operands that nearly fit: of another dtype, size or number of dims than the op usually takes.
 * What inference still accepts broadcasts, promotes or takes another path; what it refuses is a
 * deliberate error. */
#include "fuzz/generate/args.h"

static const DType DTYPES[] = {DT_float32, DT_float64, DT_float16, DT_bfloat16, DT_int64,
                               DT_int32,   DT_int16,   DT_int8,    DT_uint8,    DT_bool};

/* One number without dims, as large as the dtype holds or nearly. */
static GenVar *lone_boundary(Gen *g, DType dtype) {
    int64_t value = draw_boundary(g, dtype);
    return draw_input_values(g, dtype, NULL, 0, &value);
}

GenVar *draw_unlike(Gen *g, const Tensor *t) {
    int64_t size[MAX_DIMS];
    int n = t->ndim;
    DType dtype = t->dtype;
    for (int d = 0; d < n; d++) {
        size[d] = t->size[d];
    }
    int r = draw_below(g, 100);
    if (r < 35) {
        dtype = DTYPES[draw_below(g, COUNT_OF(DTYPES))];
    } else if (r < 62 && n > 0) {
        int d = draw_below(g, n);
        size[d] = draw_chance(g, 50) ? 1 : size[d] + draw_between(g, 1, 2);
    } else if (r < 80 && n > 0) {
        n = draw_chance(g, 60) ? 0 : n - 1;
        if (n == 0 && dtype_category(dtype) == CAT_INT && draw_chance(g, 50)) {
            return lone_boundary(g, dtype);
        }
    } else if (n < 4) {
        for (int d = n; d > 0; d--) {
            size[d] = size[d - 1];
        }
        size[0] = draw_between(g, 1, 3);
        n++;
    }
    return draw_input(g, dtype, size, n, draw_chance(g, 50), 30);
}

/* Does the op read positions or counts from the parameter? Any other tensor would be out of range.
 */
static bool holds_positions(const Param *p) {
    static const char *const names[] = {"index",  "indices", "repeats",
                                        "sorter", "mask",    "boundaries"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (named(p, names[i])) {
            return true;
        }
    }
    return p->type != ARG_TENSOR && p->type != ARG_TENSOR_OPT;
}

static bool unlike_any(const Gen *g, const GenVar *v) {
    (void)g;
    return !v->fuzzy;
}

int unlike_operand(Gen *g, Stmt *s, PArg *was) {
    int n = s->op->nparam, start = draw_below(g, n);
    for (int i = 0; i < n; i++) {
        int k = (start + i) % n;
        const GenVar *old = arg_var(g, s, k);
        if (old == NULL || holds_positions(&s->op->param[k]) || s->op->param[k].writes) {
            continue;
        }
        GenVar *v = draw_chance(g, 30) ? draw_var(g, unlike_any) : draw_unlike(g, old->t);
        if (v == NULL) {
            return -1;
        }
        *was = s->arg[k];
        set_tensor(s, k, v);
        return k;
    }
    return -1;
}

bool unlike_dtypes(Gen *g, Stmt *s) {
    DType dtype = DTYPES[draw_below(g, COUNT_OF(DTYPES))];
    bool changed = false;
    for (int k = 0; k < s->op->nparam; k++) {
        const GenVar *old = arg_var(g, s, k);
        if (old == NULL || holds_positions(&s->op->param[k]) || old->t->dtype == dtype) {
            continue;
        }
        GenVar *v = draw_input(g, dtype, old->t->size, old->t->ndim, draw_chance(g, 50), 0);
        if (v == NULL) {
            return changed;
        }
        set_tensor(s, k, v);
        changed = true;
    }
    return changed;
}
