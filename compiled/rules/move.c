/* Rules of ops that copy, cast, join and rearrange whole tensors (rules.def, MOVE). */
#include "compiled/rules/rules.h"
#include "compiled/symbolic/observed.h"

#include <string.h>

#define UNUSED (void)c

/* ---- copies and casts ---- */

bool rule_copy_of_same(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    if (lower_class(n) != LOWER_COPY) {
        return false;
    }
    Node *x = n->in[n->nin - 1];
    return same_type(n, x) && use(w, x);
}

/* Is the cast to `wide` and back exact for every value of `narrow`? */
static bool widens(DType narrow, DType wide) {
    if (narrow == wide || narrow == DT_bool) {
        return true;
    }
    if (wide == DT_bool || (dtype_is_float(narrow) && !dtype_is_float(wide))) {
        return false;
    }
    if (dtype_is_float(narrow)) {
        return dtype_promote(narrow, wide) == wide;
    }
    if (dtype_is_float(wide)) {
        return dtype_bytes(narrow) <
               dtype_bytes(wide); /* int8 in a half, int16 in float32, int32 in float64 */
    }
    return dtype_min(wide) <= dtype_min(narrow) && dtype_max(narrow) <= dtype_max(wide);
}

bool rule_cast_and_back(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Node *wide = n->in[0];
    return wide->op == OP__to_copy && same_type(n, wide->in[0]) &&
           widens(n->t.dtype, wide->t.dtype) && use(w, wide->in[0]);
}

bool rule_cast_chain(Compile *c, Node *n, Rewrite *w) {
    const Node *wide = n->in[0];
    return wide->op == OP__to_copy && wide->in[0]->t.dtype != n->t.dtype &&
           widens(wide->in[0]->t.dtype, wide->t.dtype) &&
           be_like(c, w, n, OP__to_copy, wide->in[0], NULL);
}

/* ---- flips and triangles ---- */

static unsigned flipped(const Node *n) {
    unsigned set = 0;
    for (int k = 0; k < n->call->arg[1].ints.n; k++) {
        int64_t dim = n->call->arg[1].ints.v[k];
        set |= 1u << (dim < 0 ? dim + max_i64(n->t.ndim, 1) : dim);
    }
    return set;
}

/* Seeded fault SH-9a: the dims of two flips are not compared, so that any two undo each other. */
static bool undoes_flip(const Compile *c, const Node *n) {
    unsigned differ = flipped(n) ^ flipped(n->in[0]);
    bool moves = false;
    for (int d = 0; d < n->t.ndim; d++) {
        moves |= (differ >> d & 1) && n->t.size[d] > 1;
    }
    return differ == 0 ||
           (fault(c, FAULT_SH_9a) && moves && read_by_value(n) && fault_triggered(c, FAULT_SH_9a));
}

bool rule_flip_flip(Compile *c, Node *n, Rewrite *w) {
    return n->in[0]->op == OP_flip && undoes_flip(c, n) && use(w, n->in[0]->in[0]);
}

bool rule_flip_nothing(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    unsigned set = flipped(n);
    for (int d = 0; d < n->t.ndim; d++) {
        if (set >> d & 1 && n->t.size[d] > 1) {
            return false;
        }
    }
    return use(w, n->in[0]);
}

bool rule_flip_merge(Compile *c, Node *n, Rewrite *w) {
    unsigned set = n->in[0]->op == OP_flip ? flipped(n) ^ flipped(n->in[0]) : 0;
    if (set == 0) {
        return false;
    }
    int64_t dims[MAX_DIMS];
    int count = 0;
    for (int d = 0; d < n->t.ndim; d++) {
        if (set >> d & 1) {
            dims[count++] = d;
        }
    }
    Call call = call_of(OP_flip, n->in[0]->in[0], NULL);
    call.arg[1].ints.v = arena_copy(c->arena, dims, (int64_t)sizeof *dims * count);
    call.arg[1].ints.n = count;
    return be_call(c, w, n, &call);
}

bool rule_triangle_nested(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    if ((n->op != OP_tril && n->op != OP_triu) || inner->op != n->op) {
        return false;
    }
    int64_t a = inner->call->arg[1].i, b = n->call->arg[1].i;
    Call call = call_of(n->op, inner->in[0], NULL);
    call.arg[1].i = n->op == OP_tril ? min_i64(a, b) : max_i64(a, b);
    return be_call(c, w, n, &call);
}

bool rule_triangle_all(Compile *c, Node *n, Rewrite *w) {
    if ((n->op != OP_tril && n->op != OP_triu) || n->t.ndim < 2) {
        return false;
    }
    int64_t k = n->call->arg[1].i, rows = n->t.size[n->t.ndim - 2],
            columns = n->t.size[n->t.ndim - 1];
    if (n->op == OP_tril ? k < columns - 1 : k > 1 - rows) {
        return false;
    }
    observed_number(c, n->op == OP_tril ? columns - 1 : rows - 1);
    return use(w, n->in[0]);
}

/* ---- joining ---- */

bool rule_cat_one(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    Node *only = NULL;
    for (int k = 0; k < n->nin; k++) {
        if (tensor_numel(&n->in[k]->t) > 0) {
            if (only) {
                return false;
            }
            only = n->in[k];
        }
    }
    return only && same_type(n, only) && use(w, only);
}

static bool be_cat(Compile *c, Rewrite *w, const Node *n, Tensor *const *list, int count) {
    Call call = *n->call;
    call.arg[0].tensors.v = arena_copy(c->arena, list, (int64_t)sizeof(Tensor *) * count);
    call.arg[0].tensors.n = count;
    return be_call(c, w, n, &call);
}

bool rule_cat_empty(Compile *c, Node *n, Rewrite *w) {
    Tensor *list[MAX_SLOTS];
    int count = 0;
    for (int k = 0; k < n->nin; k++) {
        if (tensor_numel(&n->in[k]->t) > 0) {
            list[count++] = &n->in[k]->t;
        }
    }
    return count > 0 && count < n->nin && be_cat(c, w, n, list, count);
}

/* A cat along the same dim, all of whose operands have its dtype and dims. */
static bool is_flat_cat(const Node *n, const Node *inner) {
    if (inner->op != OP_cat || inner->t.ndim != n->t.ndim ||
        rule_dim(inner, 1, n->t.ndim) != rule_dim(n, 1, n->t.ndim)) {
        return false;
    }
    for (int k = 0; k < inner->nin; k++) {
        if (inner->in[k]->t.dtype != inner->t.dtype || inner->in[k]->t.ndim != inner->t.ndim) {
            return false;
        }
    }
    return true;
}

bool rule_cat_of_cat(Compile *c, Node *n, Rewrite *w) {
    Tensor *list[MAX_SLOTS];
    int count = 0;
    bool found = false;
    for (int k = 0; k < n->nin; k++) {
        const Node *in = n->in[k];
        bool flat = is_flat_cat(n, in);
        if (count + (flat ? in->nin : 1) > MAX_SLOTS / 2) {
            return false;
        }
        for (int j = 0; j < (flat ? in->nin : 1); j++) {
            list[count++] = flat ? &in->in[j]->t : &n->in[k]->t;
        }
        found |= flat;
    }
    return found && be_cat(c, w, n, list, count);
}

/* Is `next` the continuation of `first`, `at` steps further along `dim`, in one buffer and with
 * equal strides? */
static bool continues(const Node *first, const Node *next, int dim, int64_t at, int64_t stride) {
    const Tensor *a = &first->t, *b = &next->t;
    if (node_buffer((Node *)first) != node_buffer((Node *)next) || a->dtype != b->dtype ||
        a->ndim != b->ndim || b->offset != a->offset + at * stride) {
        return false;
    }
    for (int d = 0; d < a->ndim; d++) {
        int64_t want = d == dim ? stride : a->stride[d];
        if ((d != dim && a->size[d] != b->size[d]) || (b->size[d] > 1 && b->stride[d] != want)) {
            return false;
        }
    }
    return true;
}

bool rule_cat_of_slices(Compile *c, Node *n, Rewrite *w) {
    int dim = rule_dim(n, 1, n->t.ndim);
    if (n->nin < 2 || n->t.ndim == 0 || n->in[0]->t.ndim != n->t.ndim ||
        tensor_numel(&n->in[0]->t) == 0 || n->in[0]->t.dtype != n->t.dtype) {
        return false;
    }
    Node *first = n->in[0];
    int64_t at = first->t.size[dim],
            stride = at > 1 ? first->t.stride[dim] : n->in[1]->t.offset - first->t.offset;
    for (int k = 1; k < n->nin; k++) {
        if (stride < 0 || tensor_numel(&n->in[k]->t) == 0 ||
            !continues(first, n->in[k], dim, at, stride)) {
            return false;
        }
        at += n->in[k]->t.size[dim];
    }
    Tensor whole = first->t;
    whole.size[dim] = at;
    whole.stride[dim] = stride;
    return tensor_same_size(&whole, &n->t) && use_view(c, n, w, first, &whole);
}

/* ---- padding, repetitions, shifts ---- */

bool rule_pad_nothing(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    for (int k = 0; k < n->call->arg[1].ints.n; k++) {
        if (n->call->arg[1].ints.v[k] != 0) {
            return false;
        }
    }
    return same_type(n, n->in[0]) && use(w, n->in[0]);
}

bool rule_pad_of_pad(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    if (inner->op != OP_constant_pad_nd) {
        return false;
    }
    const Arg *a = &inner->call->arg[1], *b = &n->call->arg[1];
    Scalar u = lower_scalar(inner->call->arg[2].scalar, n->t.dtype),
           v = lower_scalar(n->call->arg[2].scalar, n->t.dtype);
    if (u.i != v.i || memcmp(&u.f, &v.f, sizeof u.f) != 0) {
        return false;
    }
    int count = a->ints.n > b->ints.n ? a->ints.n : b->ints.n;
    int64_t *sum = arena_array(c->arena, int64_t, count);
    for (int k = 0; k < count; k++) {
        int64_t p = k < a->ints.n ? a->ints.v[k] : 0, q = k < b->ints.n ? b->ints.v[k] : 0;
        if (p < 0 || q < 0) {
            return false;
        }
        sum[k] = p + q;
    }
    Call call = *n->call;
    call.arg[0].tensor = &inner->in[0]->t;
    call.arg[1].ints.v = sum;
    call.arg[1].ints.n = count;
    return be_call(c, w, n, &call);
}

bool rule_repeat_once(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    for (int k = 0; k < n->call->arg[1].ints.n; k++) {
        if (n->call->arg[1].ints.v[k] != 1) {
            return false;
        }
    }
    return same_type(n, n->in[0]) && use(w, n->in[0]);
}

/* Does size - shift leave the range of int64? There PyTorch's kernel and roll_start wrap, and a
 * shift no longer counts modulo the size. */
static bool shift_wraps(int64_t size, int64_t shift) {
    int64_t start;
    return __builtin_sub_overflow(size, shift, &start);
}

bool rule_roll_nothing(Compile *c, Node *n, Rewrite *w) {
    UNUSED;
    const Arg *shifts = &n->call->arg[1], *dims = &n->call->arg[2];
    bool empty = tensor_numel(&n->t) == 0; /* then dims may be anything */
    for (int k = 0; !empty && k < shifts->ints.n; k++) {
        int64_t dim = dims->ints.n > 0 ? dims->ints.v[k] : 0;
        int64_t size = dims->ints.n == 0 ? tensor_numel(&n->t)
                       : n->t.ndim == 0  ? 1
                                         : n->t.size[dim < 0 ? dim + n->t.ndim : dim];
        if (size > 1 && (shifts->ints.v[k] % size != 0 || shift_wraps(size, shifts->ints.v[k]))) {
            return false;
        }
    }
    return same_type(n, n->in[0]) && use(w, n->in[0]);
}

/* Seeded fault SH-9b: the dims of two rolls are not compared. */
static bool rolls_along_any(const Compile *c, const Node *inner, int64_t dim) {
    int64_t size = inner->t.size[dim];
    return fault(c, FAULT_SH_9b) && size > 1 && inner->call->arg[1].ints.v[0] % size != 0 &&
           fault_triggered(c, FAULT_SH_9b);
}

bool rule_roll_of_roll(Compile *c, Node *n, Rewrite *w) {
    const Node *inner = n->in[0];
    if (inner->op != OP_roll || n->t.ndim == 0 || tensor_numel(&n->t) == 0 ||
        n->call->arg[2].ints.n != 1 || inner->call->arg[2].ints.n != 1) {
        return false;
    }
    int64_t dim = n->call->arg[2].ints.v[0], other = inner->call->arg[2].ints.v[0];
    dim += dim < 0 ? n->t.ndim : 0;
    other += other < 0 ? n->t.ndim : 0;
    int64_t size = n->t.size[dim];
    if (dim != other && !rolls_along_any(c, inner, other)) {
        return false;
    }
    int64_t first = inner->call->arg[1].ints.v[0], second = n->call->arg[1].ints.v[0];
    if (shift_wraps(size, first) || shift_wraps(size, second)) {
        return false;
    }
    int64_t shift = first % size + second % size;
    Call call = *n->call;
    call.arg[0].tensor = &inner->in[0]->t;
    call.arg[1].ints.v = arena_copy(c->arena, &shift, sizeof shift);
    call.arg[1].ints.n = 1;
    return be_call(c, w, n, &call);
}
