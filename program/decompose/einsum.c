/* einsum of one or two operands, decomposed as in aten/src/ATen/native/Linear.cpp.
 *
 * Every label gets a dim: the output labels first, in output order, then the summed labels in
 * alphabetical order (capitals first). Views bring each operand to all of these dims: diagonal for
 * a repeated label, a dim of size 1 for a missing one. Labels that only one operand has are summed
 * first. sumproduct_pair then computes a bmm of [shared, left, summed] and [shared, summed,
 * right]. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

#include <ctype.h>
#include <string.h>

enum { LABELS = 52 };

static int label_of(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' : c - 'a' + 26; }

typedef struct Equation {
    int nterms;
    int length[2];
    int term[2][MAX_DIMS]; /* labels of each operand */
    int count[LABELS];     /* occurrences in all operands */
    int dim_of[LABELS];    /* the dim of a label, or -1 */
    int nout, ndim;        /* number of output dims, number of labels */
} Equation;

static ErrCode decompose_einsum_refuse(Error *err, const char *text) {
    return error_set(err, ERR_invalid, "einsum(): %s", text);
}

/* Reads the labels left of the arrow, one operand at a time. */
static ErrCode read_left(const char **at, Equation *q, int operands, Error *err) {
    int term = 0;
    for (; **at && !(**at == '-' && (*at)[1] == '>'); ++*at) {
        char c = **at;
        if (c == '.') {
            return error_set(err, ERR_unsupported, "einsum with an ellipsis");
        }
        if (c == ',') {
            if (++term >= operands) {
                return decompose_einsum_refuse(
                    err, "fewer operands were provided than specified in the equation");
            }
        } else if (isalpha((unsigned char)c)) {
            if (q->length[term] == MAX_DIMS) {
                return error_set(err, ERR_limit, "einsum of more than %d dims", MAX_DIMS);
            }
            q->term[term][q->length[term]++] = label_of(c);
            q->count[label_of(c)]++;
        } else if (c != ' ') {
            return decompose_einsum_refuse(
                err, "invalid subscript given, subscripts must be in [a-zA-Z]");
        }
    }
    q->nterms = term + 1;
    return term + 1 < operands
               ? decompose_einsum_refuse(
                     err, "more operands were provided than specified in the equation")
               : ERR_none;
}

/* Reads the output labels: those right of the arrow, else the labels that occur once, in
 * alphabetical order. */
static ErrCode read_right(const char *at, Equation *q, Error *err) {
    if (!*at) {
        for (int l = 0; l < LABELS; l++) {
            q->dim_of[l] = q->count[l] == 1 ? q->nout++ : -1;
        }
        return ERR_none;
    }
    for (at += 2; *at; at++) {
        if (*at == '.') {
            return error_set(err, ERR_unsupported, "einsum with an ellipsis");
        }
        if (*at == ' ') {
            continue;
        }
        if (!isalpha((unsigned char)*at)) {
            return decompose_einsum_refuse(
                err, "invalid subscript given for the output, subscripts must be in [a-zA-Z]");
        }
        int l = label_of(*at);
        if (q->dim_of[l] >= 0) {
            return decompose_einsum_refuse(err,
                                           "output subscript appears more than once in the output");
        }
        if (q->count[l] == 0) {
            return decompose_einsum_refuse(
                err, "output subscript does not appear in the equation for any input operand");
        }
        q->dim_of[l] = q->nout++;
    }
    return ERR_none;
}

static ErrCode read_equation(const char *text, Equation *q, int operands, Error *err) {
    memset(q, 0, sizeof *q);
    for (int l = 0; l < LABELS; l++) {
        q->dim_of[l] = -1;
    }
    TRY(read_left(&text, q, operands, err));
    TRY(read_right(text, q, err));
    q->ndim = q->nout;
    for (int l = 0; l < LABELS; l++) {
        if (q->count[l] > 0 && q->dim_of[l] < 0) {
            q->dim_of[l] = q->ndim++;
        }
    }
    return q->ndim > MAX_DIMS ? error_set(err, ERR_limit, "einsum of more than %d dims", MAX_DIMS)
                              : ERR_none;
}

/* Operand `term` with one dim for each label. */
static Tensor *decompose_einsum_spread(Emit *e, const Equation *q, int term, Tensor *t) {
    int64_t from[MAX_DIMS];
    int dim_of[LABELS], next = 0;
    for (int d = 0; d < q->ndim; d++) {
        from[d] = -1;
    }
    memset(dim_of, -1, sizeof dim_of);
    for (int k = 0; k < q->length[term] && t; k++) {
        int l = q->term[term][k];
        if (dim_of[l] < 0) {
            dim_of[l] = next;
            from[q->dim_of[l]] = next++;
            continue;
        }
        if (t->size[next] != t->size[dim_of[l]]) {
            (void)decompose_einsum_refuse(
                e->err, "a subscript is repeated for an operand but the sizes don't match");
            return NULL;
        }
        int64_t last = -1, to = dim_of[l];
        t = emit_op(e, OP_diagonal, 4, t, (int64_t)0, (int64_t)dim_of[l], (int64_t)next);
        t = emit_op(e, OP_movedim, 3, t, &last, 1, &to, 1);
    }
    for (int d = 0; d < q->ndim; d++) {
        if (from[d] < 0) {
            t = t ? emit_unsqueeze(e, t, -1) : NULL;
            from[d] = next++;
        }
    }
    return t ? emit_op(e, OP_permute, 2, t, from, q->ndim) : NULL;
}

/* The order of dims in which a factor is flattened. */
typedef struct Order {
    int64_t dim[MAX_DIMS];
    int n;
} Order;

static void decompose_einsum_append(Order *o, const Order *more) {
    for (int k = 0; k < more->n; k++) {
        o->dim[o->n++] = more->dim[k];
    }
}

static int64_t product_of(const Tensor *t, const Order *o) {
    int64_t product = 1;
    for (int k = 0; k < o->n; k++) {
        product *= t->size[o->dim[k]];
    }
    return product;
}

static Tensor *flattened(Emit *e, Tensor *t, const Order *o, int64_t a, int64_t b, int64_t c) {
    int64_t size[3] = {a, b, c};
    return emit_reshape(e, emit_op(e, OP_permute, 2, t, o->dim, o->n), size, 3);
}

/* left * right summed over the dims in `sum`, which stay with size 1
 * (at::native::sumproduct_pair). */
static Tensor *sumproduct_pair(Emit *e, Tensor *left, Tensor *right, const Order *sum) {
    if (sum->n == 0) {
        return emit_mul(e, left, right);
    }
    Order both = {{0}, 0}, unshared = both, other = both, l, r, out;
    bool summed[MAX_DIMS] = {false};
    for (int k = 0; k < sum->n; k++) {
        summed[sum->dim[k]] = true;
    }
    for (int d = 0; d < left->ndim; d++) {
        if (!summed[d]) {
            Order *to = left->size[d] != 1 && right->size[d] != 1 ? &both
                        : left->size[d] != 1                      ? &unshared
                                                                  : &other;
            to->dim[to->n++] = d;
        }
    }
    if (since(einsum_layout) && unshared.n > 0 && other.n > 0 &&
        other.dim[other.n - 1] < unshared.dim[0]) { /* so that the result needs no permutation */
        Tensor *t = left;
        Order o = unshared;
        left = right;
        right = t;
        unshared = other;
        other = o;
    }
    l = r = out = both;
    decompose_einsum_append(&l, &unshared);
    decompose_einsum_append(&l, sum);
    decompose_einsum_append(&l, &other);
    decompose_einsum_append(&r, sum);
    decompose_einsum_append(&r, &other);
    decompose_einsum_append(&r, &unshared);
    decompose_einsum_append(&out, &unshared);
    decompose_einsum_append(&out, sum);
    decompose_einsum_append(&out, &other);
    int64_t shared = product_of(left, &both), a = product_of(left, &unshared),
            inner = product_of(left, sum), b = product_of(right, &other);
    int64_t size[MAX_DIMS], back[MAX_DIMS];
    for (int k = 0; k < out.n; k++) {
        int64_t d = out.dim[k];
        size[k] = summed[d] ? 1 : left->size[d] != 1 ? left->size[d] : right->size[d];
        back[d] = k;
    }
    Tensor *x = flattened(e, left, &l, shared, a, inner),
           *y = flattened(e, right, &r, shared, inner, b);
    return emit_op(e, OP_permute, 2, emit_view(e, emit_binary(e, OP_bmm, x, y), size, out.n), back,
                   out.n);
}

/* Sums the contracted dims that only one operand has. Stores the dims that both have in *both. */
static void sum_unshared(Emit *e, const Equation *q, Tensor **t, Order *both) {
    Order unshared[2] = {{{0}, 0}, {{0}, 0}};
    both->n = 0;
    for (int d = q->nout; d < q->ndim; d++) {
        bool left = t[0]->size[d] != 1, right = t[1]->size[d] != 1;
        Order *to = left && right ? both : left ? &unshared[0] : &unshared[1];
        if (left || right) {
            to->dim[to->n++] = d;
        }
    }
    for (int k = 0; k < 2; k++) {
        t[k] =
            unshared[k].n > 0 ? emit_sum_dims(e, t[k], unshared[k].dim, unshared[k].n, true) : t[k];
    }
}

ErrCode decompose_einsum(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *operands = &call->arg[1];
    int n = operands->tensors.n;
    Equation q;
    Tensor *t[2] = {NULL, NULL};
    *nout = 0;
    if (n == 0) {
        return decompose_einsum_refuse(e->err, "must provide at least one operand");
    }
    if (n > 2 || !call->arg[2].none) {
        return error_set(e->err, ERR_unsupported,
                         n > 2 ? "einsum of %d operands" : "einsum of %d operands along a path", n);
    }
    TRY(read_equation(call->arg[0].str, &q, n, e->err));
    for (int k = 0; k < n; k++) {
        if (q.length[k] != operands->tensors.v[k]->ndim) {
            return decompose_einsum_refuse(e->err,
                                           "the number of subscripts in the equation does not "
                                           "match the number of dimensions for an operand");
        }
    }
    for (int k = 0; k < n; k++) {
        t[k] = decompose_einsum_spread(e, &q, k, operands->tensors.v[k]);
        TRY(e->err->code);
    }
    for (int d = 0; d < q.ndim && n == 2; d++) {
        if (t[0]->size[d] != t[1]->size[d] && t[0]->size[d] != 1 && t[1]->size[d] != 1) {
            return decompose_einsum_refuse(e->err,
                                           "operands do not broadcast with remapped shapes");
        }
    }
    if (n == 1) {
        int64_t dims[MAX_DIMS];
        for (int d = q.nout; d < q.ndim; d++) {
            dims[d - q.nout] = d;
        }
        out[0] = q.ndim > q.nout ? emit_sum_dims(e, t[0], dims, q.ndim - q.nout, false) : t[0];
    } else {
        Order both;
        sum_unshared(e, &q, t, &both);
        Tensor *result = t[0] && t[1] ? sumproduct_pair(e, t[0], t[1], &both) : NULL;
        out[0] = result && q.ndim > q.nout ? emit_view(e, result, result->size, q.nout) : result;
    }
    *nout = out[0] != NULL;
    return e->err->code;
}
