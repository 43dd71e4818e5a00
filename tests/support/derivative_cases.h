/* Calls of every differentiable row of the op table, for the tests of derivatives: at smooth
 * points, in several layouts.
 *
 * The arguments of a POINTWISE row follow from its operands; any other differentiable row must have
 * a line in `cases`. One line for each call, one word for each argument in schema order:
 *
 *     t2,3       a float64 tensor of size [2,3] whose gradient is checked        tz2,3   the same
 *                with zeros among its values
 *     L2:0,-1    an int64 tensor [2] of these values     m2,3    a bool mask     o       None or
 *                the default
 *     {t2;t3}    a list (o: None inside)                 [0,2]   ints            i3      an int
 *     s0.5       a float or a float Scalar               b1      a bool          qfloor  a string
 *     u2,3       a float64 tensor of numbers from 0 to 1 whose gradient is checked
 *
 * A leading `@` says that the result depends on the operand's layout, so finite differences keep
 * that layout. */
#ifndef TESTS_DERIVATIVE_CASES_H
#define TESTS_DERIVATIVE_CASES_H

#include "tests/support/exec_emit.h"
#include "program/semantics/semantics.h"
#include "program/ops/functions.h"
#include "tests/support/runner.h"

#include <math.h>
#include <string.h>

typedef struct Case {
    OpId id;
    const char *text;
} Case;

static const Case cases[] = {
#include "tests/support/derivative_cases.def"
};

/* ---- arguments ---- */

typedef enum Layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_TRANSPOSED,
    LAYOUT_STEPPED,
    LAYOUT_EXPANDED,
    LAYOUT_COUNT
} Layout;

typedef struct Builder {
    Arena *arena;
    Layout layout;
    bool positive;    /* the op's domain: positive */
    bool unit;        /* between -1 and 1 */
    bool above_one;   /* greater than 1 */
    bool sees_layout; /* `@` */
    int tensors;      /* number of tensors so far */
} Builder;

/* Distinct values, none close to an integer, a half-integer or another value. */
static double smooth_value(const Builder *b, int64_t i) {
    int64_t k = (i * 7 + b->tensors * 5) % 23;
    double v = 0.31 + 0.083 * (double)k + 0.0137 * b->tensors;
    v = b->unit ? v / 3 : b->above_one ? v + 1 : v;
    return !b->positive && (i + b->tensors) % 3 == 1 ? -v : v;
}

/* Sets the strides of a layout for the sizes of `t` and allocates its storage. */
static void lay_out(Arena *arena, Tensor *t, Layout layout) {
    Error err = {0};
    if (layout == LAYOUT_TRANSPOSED) {
        int64_t stride = 1;
        for (int d = 0; d < t->ndim; d++) {
            t->stride[d] = stride;
            stride *= max_i64(t->size[d], 1);
        }
    }
    if (layout == LAYOUT_STEPPED) {
        for (int d = 0; d < t->ndim; d++) {
            t->stride[d] *= 2;
        }
        t->offset = 3;
    }
    if (layout == LAYOUT_EXPANDED) {
        for (int d = 0; d < t->ndim; d++) {
            if (t->size[d] > 1) {
                t->stride[d] = 0;
                break;
            }
        }
    }
    Tensor whole = *t;
    int64_t extent;
    CHECK(tensor_extent(t, &extent));
    extent = max_i64(extent, t->offset) + 8;
    tensor_set_contiguous(&whole, t->dtype, &extent, 1);
    CHECK(tensor_allocate(&whole, arena, NULL, &err) == ERR_none);
    t->storage = whole.storage;
}

/* Reads one tensor word at *at; NULL for `o`. Differentiable tensors have dtype float64. */
static Tensor *read_tensor(Builder *b, const char **at) {
    char kind = *(*at)++;
    if (kind == 'o') {
        return NULL;
    }
    bool unit = b->unit;
    b->unit |= kind == 'u';
    bool above = b->positive;
    b->positive |= kind == 'u';
    kind = kind == 'u' ? 't' : kind;
    CHECK(kind == 't' || kind == 'L' || kind == 'm');
    bool zeros = kind == 't' && **at == 'z';
    *at += zeros;
    int64_t size[MAX_DIMS], values[32];
    int n = read_ints(at, size, MAX_DIMS);
    Tensor *t = arena_new(b->arena, Tensor);
    tensor_set_contiguous(t, kind == 't' ? DT_float64 : kind == 'L' ? DT_int64 : DT_bool, size, n);
    lay_out(b->arena, t, kind == 't' ? b->layout : LAYOUT_CONTIGUOUS);
    int nvalues = 0;
    if (kind == 'L') {
        (*at)++;
        nvalues = read_ints(at, values, 32);
        CHECK(nvalues == tensor_numel(t));
    }
    const Tensor *one[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w), i++) {
        if (kind == 't') {
            bool zero = zeros && (i == 1 || i == 4 || i == 5);
            element_store_double(t->storage->data, DT_float64, w.at[0],
                                 zero ? 0 : smooth_value(b, i));
        } else {
            element_store_int(t->storage->data, t->dtype, w.at[0],
                              kind == 'L' ? values[i] : i % 3 != 1);
        }
    }
    b->tensors++;
    b->unit = unit;
    b->positive = above;
    return t;
}

static void read_arg(Builder *b, const Param *p, Arg *arg, const char **at) {
    while (**at == ' ') {
        (*at)++;
    }
    if (p->type != ARG_TENSORS_OPT && p->type != ARG_TENSORS && **at == 'o') {
        (*at)++;
        if (p->has_default) {
            *arg = p->def;
        } else {
            arg->none = true;
        }
        return;
    }
    arg->none = false;
    int64_t v[MAX_DIMS];
    switch (p->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        arg->tensor = read_tensor(b, at);
        break;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        CHECK(**at == '{');
        arg->tensors.v = arena_array(b->arena, Tensor *, 8);
        arg->tensors.n = 0;
        while (**at != '}') {
            (*at)++;
            arg->tensors.v[arg->tensors.n++] = read_tensor(b, at);
        }
        (*at)++;
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        CHECK(**at == '[');
        (*at)++;
        arg->ints.n = read_ints(at, v, MAX_DIMS);
        arg->ints.v = arena_copy(b->arena, v, (int64_t)sizeof v);
        CHECK(**at == ']');
        (*at)++;
        break;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT: {
        CHECK(**at == 's');
        char *end;
        arg->scalar = scalar_float(strtod(*at + 1, &end));
        *at = end;
        break;
    }
    case ARG_FLOAT:
    case ARG_FLOAT_OPT: {
        CHECK(**at == 's');
        char *end;
        arg->f = strtod(*at + 1, &end);
        *at = end;
        break;
    }
    case ARG_INT:
    case ARG_INT_OPT:
    case ARG_BOOL: {
        CHECK(**at == (p->type == ARG_BOOL ? 'b' : 'i'));
        char *end;
        int64_t value = strtol(*at + 1, &end, 10);
        *at = end;
        if (p->type == ARG_BOOL) {
            arg->b = value != 0;
        } else {
            arg->i = value;
        }
        break;
    }
    case ARG_STR:
    case ARG_STR_OPT: {
        CHECK(**at == 'q');
        char *text = arena_strdup(b->arena, *at + 1);
        text[strcspn(text, " ")] = '\0';
        *at += 1 + strlen(text);
        arg->str = text;
        break;
    }
    default:
        ck_abort_msg("an argument of an unknown kind");
    }
}

static Call read_case(Builder *b, OpId id, const char *text) {
    Call call = call_new(id);
    const char *at = text;
    b->tensors = 0;
    b->sees_layout = *at == '@';
    at += b->sees_layout;
    for (int i = 0; i < call.op->nparam && at[strspn(at, " ")]; i++) {
        read_arg(b, &call.op->param[i], &call.arg[i], &at);
    }
    CHECK(at[strspn(at, " ")] == '\0');
    return call;
}

/* The text of a call of a POINTWISE row: `size` for its first tensor, `other` for the rest. */
static void pointwise_text(const OpInfo *op, const char *size, const char *other, char *text,
                           size_t room) {
    static const char *const celu[] = {"", "s2", "s1", "s0.5"}; /* alpha, 1, 1 / alpha */
    bool first = true;
    text[0] = '\0';
    for (int i = 0; i < op->nparam; i++) {
        const Param *p = &op->param[i];
        size_t used = strlen(text);
        const char *of = first ? size : other;
        switch (p->type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT: {
            bool mask = strcmp(p->name, "condition") == 0 || strcmp(p->name, "mask") == 0;
            bool single = op->id == OP_masked_fill_Tensor && strcmp(p->name, "value") == 0;
            snprintf(text + used, room - used, "%s%s ", mask ? "m" : "t", single ? "" : of);
            first = false;
            break;
        }
        case ARG_SCALAR:
        case ARG_SCALAR_OPT:
            snprintf(text + used, room - used, "%s ",
                     op->id == OP__celu || op->id == OP__celu_result ? celu[i] : "s1.37");
            break;
        case ARG_STR:
        case ARG_FLOAT_OPT:
        case ARG_STR_OPT:
            snprintf(text + used, room - used, "o ");
            break;
        case ARG_BOOL:
            snprintf(text + used, room - used, "b0 ");
            break;
        default:
            ck_abort_msg("%s: unknown argument kind of %s", op->id_name, p->name);
        }
    }
}

/* ---- one check ---- */

static bool is_positive_op(OpId id) {
    static const OpId list[] = {OP_log,
                                OP_sqrt,
                                OP_rsqrt,
                                OP_pow_Tensor_Tensor,
                                OP_pow_Tensor_Scalar,
                                OP_pow_Scalar,
                                OP_log1p,
                                OP_log2,
                                OP_log10,
                                OP_xlogy_Tensor,
                                OP_xlogy_Scalar_Self,
                                OP_xlogy_Scalar_Other,
                                OP_logit,
                                OP_bernoulli,
                                OP_acosh,
                                OP_special_entr,
                                OP_special_xlog1py,
                                OP_special_xlog1py_other_scalar,
                                OP_special_xlog1py_self_scalar};
    for (int k = 0; k < COUNT_OF(list); k++) {
        if (list[k] == id) {
            return true;
        }
    }
    return false;
}

static void apply(Emit *e, const Call *call, Tensor **out, int *n) {
    emit_call(e, call, out, n);
    ck_assert_msg(e->err->code == ERR_none, "%s: %s: %s", call->op->id_name,
                  errcode_name(e->err->code), e->err->text);
}

/* Weights of the loss sum(w * out); outputs without a gradient are left out of the loss. */
static double weight(int k, int64_t i) { return 0.25 * (double)((i * 5 + k * 3) % 9) - 0.875; }

static Tensor *weights(Arena *arena, const Tensor *like, int k) {
    Error err = {0};
    Tensor *t = arena_new(arena, Tensor);
    tensor_set_contiguous(t, like->dtype, like->size, like->ndim);
    CHECK(tensor_allocate(t, arena, NULL, &err) == ERR_none);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        element_store_double(t->storage->data, t->dtype, i, weight(k, i));
    }
    return t;
}

/* A copy of the call with the given tensors in its slots. */
static Call with_slots(Arena *arena, const Call *call, Tensor **slot) {
    Call copy = *call;
    for (int i = 0, n = 0; i < call->op->nparam; i++) {
        ArgType type = call->op->param[i].type;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            copy.arg[i].tensor = slot[n++];
        } else if (type == ARG_TENSORS || type == ARG_TENSORS_OPT) {
            copy.arg[i].tensors.v =
                arena_copy(arena, slot + n, (int64_t)sizeof *slot * call->arg[i].tensors.n);
            n += call->arg[i].tensors.n;
        }
    }
    return copy;
}

/* A new tensor with t's values: row-major, or in t's layout. */
static Tensor *duplicate(Arena *arena, const Tensor *t, bool keep_layout) {
    Tensor *copy = arena_copy(arena, t, (int64_t)sizeof *t);
    if (keep_layout) {
        copy->storage = storage_new(arena, t->dtype, t->storage->numel);
    } else {
        Error err = {0};
        tensor_set_contiguous(copy, t->dtype, t->size, t->ndim);
        CHECK(tensor_allocate(copy, arena, NULL, &err) == ERR_none);
    }
    tensor_copy_data(copy, t, NULL);
    return copy;
}

/* Can the op take its operand in this layout? view may not; as_strided of an overlapping self has
 * no elementwise differences, and PyTorch supports as_strided_scatter for contiguous tensors
 * only. */
static bool layout_applies(Emit *e, const Call *call, Layout layout) {
    switch (call->op->id) {
    case OP_as_strided:
        return layout != LAYOUT_EXPANDED;
    case OP_as_strided_scatter:
        return layout == LAYOUT_CONTIGUOUS;
    case OP__nll_loss: /* nll_loss2d's backward refuses a self that is not contiguous */
        return call->arg[0].tensor->ndim < 4 || layout == LAYOUT_CONTIGUOUS;
    case OP_view:
    case OP_view_as: {
        Error err = {0};
        Infer r = {.arena = e->arena, .err = &err};
        return call->op->infer(call, &r) == ERR_none || layout == LAYOUT_CONTIGUOUS;
    }
    default:
        return true;
    }
}

static Builder case_builder(Arena *arena, OpId id, Layout layout) {
    return (Builder){.arena = arena,
                     .layout = layout,
                     .positive = is_positive_op(id),
                     .unit = id == OP_asin || id == OP_acos || id == OP_atanh || id == OP_erfinv ||
                             id == OP_logit || id == OP_bernoulli,
                     .above_one = id == OP_acosh};
}

static void each_case_now(const OpInfo *op, void (*check)(OpId id, const char *text)) {
    bool tested = false;
    for (int k = 0; k < COUNT_OF(cases); k++) {
        if (cases[k].id == op->id) {
            check(op->id, cases[k].text);
            tested = true;
        }
    }
    if (op->kind == KIND_POINTWISE) {
        static const char *const sizes[][2] = {{"2,3", "2,3"}, {"2,3", "3"}, {"3", "2,1"},
                                               {"2,3", ""},    {"", ""},     {"", "2"},
                                               {"0,3", "3"}};
        for (int k = 0; k < COUNT_OF(sizes); k++) {
            char text[128];
            pointwise_text(op, sizes[k][0], sizes[k][1], text, sizeof text);
            check(op->id, text);
        }
        tested = true;
    }
    ck_assert_msg(tested, "no case for %s: add a line to `cases`", op->id_name);
}

/* Calls `check` for every case of a row, which must have at least one, under the oldest semantics
 * and under the newest. */
static void each_case(const OpInfo *op, void (*check)(OpId id, const char *text)) {
    if (op->kind == KIND_POINTWISE && op->pw == PW_by_slope) {
        return; /* its value comes from outside: softplus, elu, tanh, .. are the cases */
    }
    if (op->infer == infer_of_value || op->infer == infer_sampled) {
        return; /* the same: composed losses are the cases */
    }
    static const Semantics semantics[] = {SEMANTICS_OLDEST, (Semantics)(SEMANTICS_COUNT - 1)};
    for (int k = 0; k < COUNT_OF(semantics); k++) {
        Semantics before = semantics_enter(semantics[k]);
        if (!op_refuses_backward(op) && op->grad != grad_refused_in_place) {
            each_case_now(op, check);
        }
        semantics_enter(before);
    }
}

#endif
