/* What a node is to the lowering, read off its op: its class (lowering.def), whether all its
 * elements have one known value, and which operands it reads. */
#ifndef COMPILED_LOWER_CLASS_H
#define COMPILED_LOWER_CLASS_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

typedef enum LowerClass {
    LOWER_OPAQUE, /* the shared kernel */
    /* fused ops: LOWER_POINTWISE to LOWER_ADD_SLICE (loops/fused_op.h) */
    LOWER_POINTWISE,
    LOWER_COPY,  /* one operand, perhaps converted or broadcast */
    LOWER_SPLAT, /* one value everywhere: readers inline the value; it has a buffer only where a
                    reader needs memory */
    LOWER_FLIP,
    LOWER_TRIANGLE,
    LOWER_INDEX, /* this and the next two: indirect reads */
    LOWER_GATHER,
    LOWER_INDEX_SELECT,
    LOWER_REDUCE,
    LOWER_STORE, /* this and the next: the base is copied (or updated in place), a slice written */
    LOWER_VIEW_SCATTER,
    LOWER_INDEX_PUT, /* this and the next two: the same with indirect writes */
    LOWER_SCATTER,
    LOWER_INDEX_ADD,
    LOWER_ADD_SLICE, /* zeros, then a slice written or, if it overlaps itself, accumulated */
    /* loops of their own */
    LOWER_CAT,
    LOWER_NONZERO,
    LOWER_SCAN,
    LOWER_SOFTMAX,
    LOWER_MATMUL,
    LOWER_LITERAL,
    LOWER_CHECK,
    LOWER_NOTHING /* INPUT, TANGENT, VIEW: no loop */
} LowerClass;

extern const unsigned char lower_op_class[OP_COUNT]; /* LowerClass, by op */

/* True for an _as_strided_grad whose base is contiguous and holds the whole view. The result's
 * buffer is then that base, and the gradient is written to the view's slice of it. */
bool strided_grad_is_slice(const Node *n);

static inline LowerClass lower_class(const Node *n) {
    switch (n->kind) {
    case NODE_OP:
        return n->op == OP__as_strided_grad && !strided_grad_is_slice(n)
                   ? LOWER_OPAQUE
                   : (LowerClass)lower_op_class[n->op];
    case NODE_STORE:
        return LOWER_STORE;
    case NODE_CHECK:
        return LOWER_CHECK;
    default:
        return LOWER_NOTHING;
    }
}

/* True if the op has loops of its own; false if it runs the shared kernel. */
bool lower_is_native(const OpInfo *op);

/* True if every element of `n` has one value by construction; stores it in *value, converted to
 * n's dtype. Looks through VIEWs. */
bool node_splat(const Node *n, Scalar *value);
/* True if the lowering of `n` reads this operand at all. (zeros_like reads none, copy only its
 * source.) */
bool node_reads_slot(const Node *n, int slot);
/* True if `n` inlines the value of a splat operand, so that the operand needs no memory. */
bool node_inlines_splat(const Node *n, int slot);

#endif
