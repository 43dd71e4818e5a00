/* Observed values: what a compilation decides on beside the numbers of its graph. They make its
 * guards complete.
 *
 * The numbers of the graph (symbolic/walk.c) do not show everything that was compared: a slice
 * wraps and clamps its arguments before a size results, a view multiplies sizes until they fit, a
 * rule makes a layout that another rule removes again, a constant that is a size is compared with
 * another constant and both disappear. Each such place records here what it reads, in every sample
 * compilation. Where a number is compared with another, both are observed values, and how they
 * compare becomes a guard. Where it is used in another way (an exponential, a table, a narrow
 * dtype) no comparison is enough: its value goes into the hash of the graph, so that it must be the
 * same in all samples, and thus independent of the sizes. */
#include "compiled/symbolic/observed.h"
#include "compiled/symbolic/numbers.h"
#include "compiled/views/index.h"

#include <math.h>
#include <string.h>

static Numbers *observed_of(const Compile *c) { return c->sample ? &c->sample->observed : NULL; }

void observed_number(const Compile *c, int64_t v) {
    if (c->sample) {
        numbers_observed(observed_of(c), v, NUMBER_OBSERVED);
    }
}

void observed_layout(const Compile *c, const Tensor *t) {
    if (c->sample) {
        walk_observed_layout(observed_of(c), t);
    }
}

void observed_rewrite(const Compile *c, const Node *n, int from) {
    if (c->sample) {
        walk_observed_node(observed_of(c), n);
        for (int i = from; i < c->graph->n; i++) {
            walk_observed_node(observed_of(c), c->graph->node[i]);
        }
    }
}

/* ---- calls ---- */

/* An index along a dim as written: counted from the end if it is negative. */
static int64_t index_along(int64_t at, int64_t size) {
    int64_t wrapped;
    return at >= 0 ? at : checked_add(at, size, &wrapped) ? wrapped : at;
}

static int64_t observed_size_along(const Tensor *t, int64_t dim) {
    int d;
    return t->ndim > 0 && dim_normal(dim, t->ndim, &d) ? t->size[d] : 1;
}

/* The products of neighbouring sizes, which a view computes. */
static void note_products(Numbers *observed, const int64_t *size, int ndim) {
    for (int first = 0; first < ndim; first++) {
        int64_t product = 1;
        for (int d = first; d < ndim && checked_mul(product, size[d], &product); d++) {
            numbers_observed(observed, product, NUMBER_OBSERVED);
        }
    }
}

static void note_sum(Numbers *observed, int64_t a, int64_t b) {
    int64_t sum;
    numbers_observed(observed, checked_add(a, b, &sum) ? sum : INT64_MAX, NUMBER_ORDER);
}

/* A window of `span` elements of which every step-th is taken: how many there are is a quotient,
 * which may be the same in all samples though the span is not. So the span needs an expression, and
 * is between two multiples of the step. */
static void note_steps(Numbers *observed, int64_t span, int64_t count, int64_t step) {
    numbers_observed(observed, span, NUMBER_INT);
    for (int64_t k = max_i64(count - 1, 0); k <= count; k++) {
        int64_t multiple;
        numbers_observed(observed, checked_mul(k, step, &multiple) ? multiple : INT64_MAX,
                         NUMBER_ORDER);
    }
}

/* start, end along dim: as wrapped, before they are clamped. */
static void note_slice(Numbers *observed, const Tensor *self, const Arg *arg) {
    int64_t size = observed_size_along(self, arg[0].i);
    for (int p = 1; p <= 2; p++) {
        numbers_observed(observed, arg[p].none ? 0 : index_along(arg[p].i, size), NUMBER_ORDER);
    }
    if (arg[3].i > 1) {
        note_steps(observed, slice_normal(&arg[1], &arg[2], 1, size).count,
                   slice_normal(&arg[1], &arg[2], arg[3].i, size).count, arg[3].i);
    }
}

/* size, step along dim: the places at which a window may begin. */
static void note_windows(Numbers *observed, const Tensor *self, const Arg *arg) {
    int64_t size = observed_size_along(self, arg[0].i), window = arg[1].i, step = arg[2].i;
    if (step > 1 && window >= 0 && window <= size) {
        note_steps(observed, size - window + 1, (size - window) / step + 1, step);
    }
}

static void note_diagonal(Numbers *observed, const Tensor *self, const Arg *arg) {
    int64_t offset = arg[0].i > -INT32_MAX && arg[0].i < INT32_MAX ? arg[0].i : INT32_MAX;
    note_sum(observed, observed_size_along(self, arg[2].i), -offset);
    note_sum(observed, observed_size_along(self, arg[1].i), offset);
}

void observed_call(const Compile *c, const Call *call) {
    Numbers *observed = observed_of(c);
    if (!observed) {
        return;
    }
    const OpInfo *op = call->op;
    if (op->nparam < 2 || op->param[0].type != ARG_TENSOR) {
        return;
    }
    const Tensor *self = call->arg[0].tensor;
    const Arg *arg =
        call->arg +
        (op->param[1].type == ARG_TENSOR ? 2 : 1); /* behind self, and what is scattered into it */
    switch (op->id) {
    case OP_slice:
    case OP_slice_scatter:
        note_slice(observed, self, arg);
        break;
    case OP_unfold:
        note_windows(observed, self, arg);
        break;
    case OP_select:
    case OP_select_scatter:
        numbers_observed(observed, index_along(arg[1].i, observed_size_along(self, arg[0].i)),
                         NUMBER_ORDER);
        break;
    case OP_narrow: {
        int64_t start = index_along(arg[1].i, observed_size_along(self, arg[0].i));
        numbers_observed(observed, start, NUMBER_ORDER);
        note_sum(observed, start, arg[2].i);
        break;
    }
    case OP_diagonal:
    case OP_diagonal_scatter:
        note_diagonal(observed, self, arg);
        break;
    case OP_view:
    case OP__reshape_copy:
        note_products(observed, arg[0].ints.v, arg[0].ints.n);
        note_products(observed, self->size, self->ndim);
        break;
    case OP_view_as:
        note_products(observed, call->arg[1].tensor->size, call->arg[1].tensor->ndim);
        note_products(observed, self->size, self->ndim);
        break;
    default:
        break;
    }
}

/* ---- constants ---- */

static void note_bits(Numbers *observed, double v) {
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    numbers_mix(observed, (uint64_t)bits);
}

static void note_scalar(Numbers *observed, Scalar v) {
    bool in_range = v.kind != CAT_FLOAT || (v.f > -1e15 && v.f < 1e15);
    numbers_observed(observed,
                     !in_range             ? 0
                     : v.kind == CAT_FLOAT ? (int64_t)floor(v.f)
                                           : v.i,
                     NUMBER_OBSERVED);
    numbers_observed(observed,
                     !in_range             ? 0
                     : v.kind == CAT_FLOAT ? (int64_t)ceil(v.f)
                                           : v.i,
                     NUMBER_OBSERVED);
}

/* Is the exact result of integers a polynomial of them? (For a quotient the numbers of the result
 * show it.) */
static bool is_polynomial(const OpInfo *op) {
    return op->kind == KIND_POINTWISE && (pw_is_arithmetic(op->pw) || op->pw == PW_neg);
}

/* Is the result a choice that depends on how the operands compare with each other and with 0? */
static bool is_choice(const OpInfo *op) {
    return op->kind != KIND_POINTWISE /* elements are moved */ || pw_is_logic(op->pw) ||
           (pw_is_choice(op->pw) && op->pw != PW_clamp);
}

void observed_constant(const Compile *c, const OpInfo *op, Scalar value, DType dtype) {
    Numbers *observed = observed_of(c);
    if (!observed) {
        return;
    }
    bool narrow = dtype_bytes(dtype) < 4 && dtype != DT_bool,
         whole = value.kind != CAT_FLOAT || value.f == floor(value.f);
    if (!narrow && (is_polynomial(op) || (is_choice(op) && whole))) {
        note_scalar(observed, value);
        if (dtype == DT_float32 && fabs(value.f) > 1) {
            numbers_observed(observed, INT64_C(1) << 24,
                             NUMBER_ORDER); /* beyond it integers are rounded */
        }
        return;
    }
    numbers_mix(observed, (uint64_t)value.i);
    note_bits(observed, value.f);
}

void observed_literal(const Compile *c, const Tensor *t) {
    Numbers *observed = observed_of(c);
    if (!observed) {
        return;
    }
    const Tensor *list[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, list, 1); walk_more(&w); walk_next(&w)) {
        if (dtype_is_float(t->dtype)) {
            note_bits(observed, element_double(t->storage->data, t->dtype, w.at[0]));
        } else {
            numbers_mix(observed, (uint64_t)element_int(t->storage->data, t->dtype, w.at[0]));
        }
    }
    for (int d = 0; d < t->ndim; d++) {
        numbers_mix(observed, (uint64_t)t->size[d]);
    }
}

void observed_scalars(const Compile *c, const Call *call, DType dtype, bool literal) {
    Numbers *observed = observed_of(c);
    for (int p = 0; observed && p < call->op->nparam; p++) {
        ArgType type = call->op->param[p].type;
        if ((type != ARG_SCALAR && type != ARG_SCALAR_OPT) || call->arg[p].none) {
            continue;
        }
        Scalar v = call->arg[p].scalar;
        if (literal) {
            numbers_mix(observed, (uint64_t)v.i);
            note_bits(observed, v.f);
        } else {
            observed_constant(c, call->op, v, dtype);
        }
    }
}
