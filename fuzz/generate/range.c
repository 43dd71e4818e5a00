/* Guesses about the values a statement makes: interval arithmetic, and how many binary digits
 * follow the point.
 *
 * They serve three ends: integer tensors used as indices are mostly in range; conversions from
 * float to integer stay inside the integer's range (outside, PyTorch leaves the result undefined
 * and the check is skipped); ops that make a discrete choice (comparisons, floor) mostly see exact
 * operands, since a choice within the rounding error is skipped too. */
#include "fuzz/generate/tensors.h"

#include <math.h>

typedef struct Range {
    double lo, hi;
    int bits;
} Range;

static const Range UNKNOWN = {-INFINITY, INFINITY, BITS_INEXACT};

static Range scalar_range(Scalar s) {
    if (s.kind != CAT_FLOAT) {
        return (Range){(double)s.i, (double)s.i, 0};
    }
    if (!isfinite(s.f)) {
        return UNKNOWN;
    }
    int bits = 0;
    double f = s.f;
    while (bits < BITS_INEXACT && f != floor(f)) {
        f *= 2;
        bits++;
    }
    return (Range){s.f, s.f, bits};
}

/* What parameter k of the statement holds; `n` (may be NULL) receives its element count. */
static Range param_range(Gen *g, const Stmt *s, const Call *call, int k) {
    const Param *p = &s->op->param[k];
    const Arg *a = &call->arg[k];
    if (p->type == ARG_SCALAR || p->type == ARG_SCALAR_OPT ||
        (p->type == ARG_VALUE && !a->is_tensor)) {
        return a->none ? UNKNOWN : scalar_range(a->scalar);
    }
    const GenVar *v = arg_var(g, s, k);
    if (v == NULL) {
        return UNKNOWN;
    }
    const Data *d = var_data(g, v);
    return (Range){d->lo, d->hi, d->bits};
}

static double range_magnitude(Range r) { return fmax(fabs(r.lo), fabs(r.hi)); }
static int max_int(int a, int b) { return a > b ? a : b; }
static Range both(Range a, Range b) {
    return (Range){fmin(a.lo, b.lo), fmax(a.hi, b.hi), max_int(a.bits, b.bits)};
}
static Range sum_range(Range a, Range b) {
    return (Range){a.lo + b.lo, a.hi + b.hi, max_int(a.bits, b.bits)};
}
static Range range_product(Range a, Range b) {
    if (!isfinite(range_magnitude(a)) || !isfinite(range_magnitude(b))) {
        return UNKNOWN;
    }
    double v[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return (Range){fmin(fmin(v[0], v[1]), fmin(v[2], v[3])),
                   fmax(fmax(v[0], v[1]), fmax(v[2], v[3])), a.bits + b.bits};
}
static Range symmetric(double m, int bits) { return (Range){-m, m, bits}; }

static Range quotient(Range a, Range b) {
    if (b.lo != b.hi || b.lo == 0 || !isfinite(b.lo) || !isfinite(range_magnitude(a))) {
        return UNKNOWN;
    }
    int exponent;
    bool power = fabs(frexp(b.lo, &exponent)) == 0.5;
    double x = a.lo / b.lo, y = a.hi / b.lo;
    return (Range){fmin(x, y), fmax(x, y),
                   power ? max_int(0, a.bits + exponent - 1) : BITS_INEXACT};
}

static Range pointwise_range(Pw pw, const Range *x, bool integers) {
    Range a = x[0];
    bool finite = isfinite(range_magnitude(a));
    switch (pw) {
    case PW_neg:
        return (Range){-a.hi, -a.lo, a.bits};
    case PW_abs:
        return (Range){a.lo > 0 ? a.lo : 0, range_magnitude(a), a.bits};
    case PW_relu:
        return (Range){fmax(a.lo, 0), fmax(a.hi, 0), a.bits};
    case PW_sign:
        return finite ? symmetric(1, 0) : UNKNOWN;
    case PW_exp:
        return finite && a.hi < 40 ? (Range){0, exp(a.hi) + 1, BITS_INEXACT} : UNKNOWN;
    case PW_sqrt:
        return finite && a.lo >= 0 ? (Range){0, sqrt(a.hi) + 1, BITS_INEXACT} : UNKNOWN;
    case PW_sin:
    case PW_cos:
        return finite ? symmetric(1, BITS_INEXACT) : UNKNOWN;
    case PW_tanh:
        return finite ? symmetric(1, BITS_INEXACT) : UNKNOWN;
    case PW_sigmoid:
        return finite ? (Range){0, 1, BITS_INEXACT} : UNKNOWN;
    case PW_square:
        return range_product(a, a);
    case PW_floor:
    case PW_ceil:
    case PW_trunc:
    case PW_round:
        return (Range){floor(a.lo), ceil(a.hi), finite ? 0 : BITS_INEXACT};
    case PW_logical_not:
    case PW_isnan:
    case PW_isinf:
    case PW_isfinite:
        return (Range){0, 1, 0};
    case PW_copy:
        return a;
    case PW_add:
        return sum_range(a, range_product(x[1], x[2]));
    case PW_sub:
        return sum_range(a, range_product((Range){-x[1].hi, -x[1].lo, x[1].bits}, x[2]));
    case PW_rsub:
        return sum_range(x[1], range_product((Range){-a.hi, -a.lo, a.bits}, x[2]));
    case PW_mul:
        return range_product(a, x[1]);
    case PW_div:
        return quotient(a, x[1]);
    case PW_div_floor:
    case PW_div_trunc:
        return integers ? symmetric(range_magnitude(a) + 1, 0) : UNKNOWN;
    case PW_remainder:
        return (integers || x[1].lo == x[1].hi) && isfinite(range_magnitude(x[1])) && finite &&
                       x[1].lo != 0
                   ? (x[1].lo > 0   ? (Range){0, x[1].hi, max_int(a.bits, x[1].bits)}
                      : x[1].hi < 0 ? (Range){x[1].lo, 0, max_int(a.bits, x[1].bits)}
                                    : symmetric(range_magnitude(x[1]), max_int(a.bits, x[1].bits)))
                   : UNKNOWN;
    case PW_fmod:
        return integers ? symmetric(range_magnitude(x[1]), 0) : UNKNOWN;
    case PW_pow: {
        double e = x[1].lo;
        if (x[1].lo != x[1].hi || e != floor(e) || e < 0 || e > 4 || !finite) {
            return UNKNOWN;
        }
        return symmetric(pow(fmax(range_magnitude(a), 1), e), (int)e * a.bits);
    }
    case PW_maximum:
    case PW_minimum:
    case PW_fmax:
    case PW_fmin:
        return both(a, x[1]);
    case PW_clamp: {
        Range r = a;
        r = isfinite(range_magnitude(x[1])) ? both(r, x[1]) : r;
        return isfinite(range_magnitude(x[2])) ? both(r, x[2]) : r;
    }
    case PW_where:
        return both(x[1], x[2]);
    case PW_masked_fill:
        return both(a, x[2]);
    case PW_addcmul:
        return sum_range(a, range_product(x[3], range_product(x[1], x[2])));
    default:
        return pw_is_logic(pw) ? (Range){0, 1, 0} : UNKNOWN;
    }
}

/* The data of a tensor literal. */
static Range literal_range(const Stmt *s, DType dtype) {
    if (!s->arg[0].given || s->arg[0].data.n == 0) {
        return (Range){0, 0, 0};
    }
    Range r = {INFINITY, -INFINITY, dtype_is_float(dtype) ? 4 : 0};
    for (int64_t i = 0; i < s->arg[0].data.n; i++) {
        double v = element_double(s->arg[0].data.data, dtype, i);
        r.lo = fmin(r.lo, v);
        r.hi = fmax(r.hi, v);
    }
    return isfinite(r.lo) && isfinite(r.hi) ? r : UNKNOWN;
}

/* Values that are only moved: every tensor but indices and masks, and scalars that fill. */
static Range moved_range(Gen *g, const Stmt *s, const Call *call) {
    Range r = {INFINITY, -INFINITY, 0};
    for (int k = 0; k < s->op->nparam; k++) {
        const Param *p = &s->op->param[k];
        char c = p->name[0];
        if (p->type == ARG_TENSORS) {
            for (int i = 0; i < s->arg[k].tensors.n; i++) {
                const GenVar *v = gen_find(g, s->arg[k].tensors.v[i]);
                r = v == NULL ? UNKNOWN
                              : both(r, (Range){var_data(g, v)->lo, var_data(g, v)->hi,
                                                var_data(g, v)->bits});
            }
        } else if ((p->type == ARG_TENSOR && c != 'i' && c != 'm') || p->type == ARG_VALUE ||
                   (p->type == ARG_SCALAR && c == 'v')) {
            r = both(r, param_range(g, s, call, k));
        }
    }
    if (s->op->range == RANGE_PADDED) {
        r = both(r, (Range){0, 0, 0});
    }
    return r.lo > r.hi ? UNKNOWN : r;
}

static Range func_range(Gen *g, const Stmt *s, const Call *call, ErrorPropagation propagation) {
    Range a = param_range(g, s, call, 0);
    const GenVar *self = arg_var(g, s, 0);
    double n = self != NULL ? (double)max_i64(tensor_numel(self->t), 1) : 1;
    double m = range_magnitude(a);
    switch (propagation) {
    case PROPAGATION_MOVE:
        return moved_range(g, s, call);
    case PROPAGATION_SUM:
        return s->op->range == RANGE_MEAN ? (Range){a.lo, a.hi, BITS_INEXACT}
                                          : symmetric(m * n, a.bits);
    case PROPAGATION_PROD:
        return isfinite(m) && n * log2(fmax(m, 1)) < 100
                   ? symmetric(pow(fmax(m, 1), n),
                               a.bits == 0 ? 0 : (int)fmin(BITS_INEXACT, a.bits * n))
                   : UNKNOWN;
    case PROPAGATION_EXTREME:
        return a;
    case PROPAGATION_ORDER:
    case PROPAGATION_SEARCH:
    case PROPAGATION_TRUTH:
        return (Range){0, GEN_ELEMENTS, 0};
    case PROPAGATION_SOFTMAX:
        return isfinite(m) ? (Range){0, 1, BITS_INEXACT} : UNKNOWN;
    case PROPAGATION_MATMUL: {
        Range r = {0, 0, 0};
        double factors = 1;
        int bits = 0, tensors = 0;
        for (int k = 0; k < s->op->nparam; k++) {
            if (s->op->param[k].type == ARG_TENSOR) {
                Range f = param_range(g, s, call, k);
                if (k == 0 && s->op->nparam > 2) { /* addmm: the third */
                    r = symmetric(2 * range_magnitude(f), f.bits);
                    continue;
                }
                factors *= range_magnitude(f);
                bits += f.bits;
                tensors++;
            }
        }
        return isfinite(factors) && tensors == 2 ? sum_range(r, symmetric(factors * 18, bits))
                                                 : UNKNOWN;
    }
    case PROPAGATION_SCATTER_ADD: {
        Range r = {0, 0, 0};
        for (int k = 0; k < s->op->nparam; k++) {
            if (s->op->param[k].type == ARG_TENSOR && s->op->param[k].name[0] != 'i') {
                Range f = param_range(g, s, call, k);
                r = sum_range(r, symmetric(range_magnitude(f) * (k == 0 ? 1 : 64), f.bits));
            }
        }
        return r;
    }
    case PROPAGATION_NORMALIZED:
    case PROPAGATION_POLYNOMIAL:
    default:
        return UNKNOWN;
    }
}

/* By the op's column RANGE, if it has one, else by its error propagation. */
static Range row_range(Gen *g, const Stmt *s, const Call *call, const OpInfo *op,
                       const Tensor *out) {
    switch (op->range) {
    case RANGE_UNKNOWN:
        return UNKNOWN;
    case RANGE_ZEROS:
        return (Range){0, 0, 0};
    case RANGE_ONES:
        return (Range){1, 1, 0};
    case RANGE_FILL:
        return scalar_range(call->arg[op_param(op, "fill_value")].scalar);
    case RANGE_TRUTH:
        return (Range){0, 1, 0};
    case RANGE_UNIT:
        return (Range){0, 1, BITS_INEXACT};
    case RANGE_INDICES:
        return (Range){0, (double)max_i64(call->arg[0].i, call->arg[1].i) - 1, 0};
    case RANGE_COUNTING:
        return (Range){0, fmax((double)tensor_numel(out) - 1, 0), 0};
    case RANGE_BETWEEN: {
        Range r = both(scalar_range(call->arg[0].scalar), scalar_range(call->arg[1].scalar));
        r.bits = max_int(r.bits, 4);
        return r;
    }
    case RANGE_LITERAL:
        return literal_range(s, out->dtype);
    case RANGE_COUNT:
        return (Range){0, GEN_ELEMENTS, 0};
    case RANGE_SELF:
        return param_range(g, s, call, 0);
    case RANGE_CHOSEN:
        return out->dtype == DT_int64
                   ? sum_range(param_range(g, s, call, 0), (Range){0, GEN_ELEMENTS, 0})
                   : param_range(g, s, call, 0);
    case RANGE_POOLED:
        return out->dtype == DT_int64 ? (Range){0, GEN_ELEMENTS, 0} : param_range(g, s, call, 0);
    case RANGE_MATMUL:
        return func_range(g, s, call, PROPAGATION_MATMUL);
    case RANGE_PADDED:
    case RANGE_MEAN:
    case RANGE_BY_PROPAGATION:
        break;
    }
    if (op->kind == KIND_FACTORY) {
        return UNKNOWN;
    }
    if (op->kind == KIND_COMPOSITE) { /* most of them move elements */
        return func_range(g, s, call, PROPAGATION_MOVE);
    }
    return op->propagation == PROPAGATION_NONE ? (Range){0, GEN_ELEMENTS, 0}
                                               : func_range(g, s, call, op->propagation);
}

Data range_result(Gen *g, const Stmt *s, const Call *call, const Tensor *out) {
    if (s->op->out_dtype != OUT_NOT) {
        Stmt form = stmt_form(s);
        Call functional = call_functional(call);
        return range_result(g, &form, &functional, out);
    }
    const OpInfo *op = s->op->kind == KIND_INPLACE ? op_info(s->op->twin) : s->op;
    bool unique = op->range == RANGE_COUNTING || op->range == RANGE_BETWEEN;
    Range r;
    if (op->kind == KIND_POINTWISE) {
        Range x[PW_MAX_OPERANDS];
        for (int i = 0; i < op->noperand; i++) {
            x[i] = param_range(g, s, call, op->operand[i]);
        }
        Pw pw = op->pw;
        for (int k = 0; k < op->nparam && pw == PW_div; k++) { /* rounding_mode */
            if (op->param[k].type == ARG_STR_OPT && !call->arg[k].none) {
                pw = PW_div_floor;
            }
        }
        r = pointwise_range(pw, x, !dtype_is_float(out->dtype));
    } else {
        r = row_range(g, s, call, op, out);
    }
    if (isnan(r.lo) || isnan(r.hi)) {
        r = UNKNOWN;
    }
    DType dtype = out->dtype;
    if (dtype == DT_bool) {
        r = (Range){0, 1, 0};
    } else if (!dtype_is_float(dtype)) {
        double lo = (double)dtype_min(dtype), hi = (double)dtype_max(dtype);
        r = r.lo < lo || r.hi > hi ? (Range){lo, hi, 0} : (Range){trunc(r.lo), trunc(r.hi), 0};
    } else if (r.bits >= BITS_INEXACT ||
               range_magnitude(r) > ldexp(1, 24 - (r.bits < 24 ? r.bits : 24))) {
        r.bits = BITS_INEXACT;
    }
    return (Data){r.lo, r.hi, r.bits, 0, -1, unique, r.lo == r.hi, false, false};
}

/* Positions and counts: an integer result that is no conversion of the operands' elements. */
static bool range_counts(const OpInfo *op) {
    return op->range == RANGE_COUNT ||
           (op->kind == KIND_FUNC &&
            (op->propagation == PROPAGATION_NONE || op->propagation == PROPAGATION_ORDER ||
             op->propagation == PROPAGATION_SEARCH || op->propagation == PROPAGATION_TRUTH));
}

bool range_cast_fits(Gen *g, const Stmt *s, DType to) {
    const OpInfo *op = s->op->kind == KIND_INPLACE ? op_info(s->op->twin) : s->op;
    if (range_counts(op)) {
        return true;
    }
    for (int k = 0; k < s->op->nparam; k++) {
        const GenVar *v = arg_var(g, s, k);
        if (v == NULL || !dtype_is_float(v->t->dtype)) {
            continue;
        }
        const Data *d = var_data(g, v);
        if (!(d->lo > (double)dtype_min(to) - 1 && d->hi < (double)dtype_max(to) + 1)) {
            return draw_below(g, 500) == 0;
        }
    }
    return true;
}
