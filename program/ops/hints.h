/* What a row of ops.def says of an op where its kind, its schema and its functions do not tell: the
 * values of the columns that a row may add behind the required ones. Every column has a default
 * that is right for most ops, so a new row needs none of them. */
#ifndef PROGRAM_OPS_HINTS_H
#define PROGRAM_OPS_HINTS_H

/* VALUES(..): the operand values that a functional op's kernel checks and may refuse (index_range,
 * invalid). Both executors check them where PyTorch does. Apart from these, integers are not
 * divided by zero (pw_is_quotient), and masked_fill checks its mask and its number. */
typedef enum ValueChecks {
    VALUE_CHECK_NONE,
    VALUE_CHECK_INDICES,     /* `indices`: each within its own dim of self, also from the end */
    VALUE_CHECK_INDEX,       /* `index` (parameter 2): along `dim` (parameter 1) */
    VALUE_CHECK_VECTOR,      /* the same, unless self is empty: then nothing is written */
    VALUE_CHECK_VECTOR_WRAP, /* the same, also from the end; a tensor after it is read as a number
                                that must fit self */
    VALUE_CHECK_FLAT,    /* `index` (parameter 1): among all elements of self, also from the end */
    VALUE_CHECK_ROWS,    /* `indices` (parameter 1): rows of a matrix, the first operand */
    VALUE_CHECK_CLASSES, /* `target` (parameter 1): classes, or ignored */
    VALUE_CHECK_MASK,    /* `mask` (parameter 1): bytes must be 0 or 1; if a `source` follows, it
                            must have enough elements */
    VALUE_CHECK_NUMBER,  /* parameter 1, read as a number: it must fit self */
    VALUE_CHECK_SORTER,  /* `sorter`: positions along the last dim of the sequence, the first
                            operand */
    VALUE_CHECK_HOT,     /* the first operand: classes from 0 to parameter 1 */
    VALUE_CHECK_UNIT,    /* the first two operands, unless one is empty: numbers from 0 to 1 */
    VALUE_CHECK_PROBABILITIES, /* the first operand: numbers from 0 to 1 */
    VALUE_CHECK_BAGS /* the first two operands: rows of a matrix, and where the bags of them start
                      */
} ValueChecks;

/* NO_KERNEL(..): half types for which PyTorch 1.13 has no CPU kernel of the op (`"exp" not
 * implemented for 'Half'`); the op raises `dtype` there. Measured, op by op. KERNEL_SINCE(rule):
 * the rule of versions.def since which the kernel exists; half_kernels if it is not said. */
enum {
    NO_KERNEL_FLOAT16 = 1,
    NO_KERNEL_BFLOAT16 = 2,
    NO_KERNEL_FLOAT16_AND_BFLOAT16 = NO_KERNEL_FLOAT16 | NO_KERNEL_BFLOAT16
};

/* ---- in-place rows ---- */

/* ORDER(..): which refusals an in-place op makes before it writes, and in which order. ATen has a
 * separate function for each of these; docs/reference/semantics.md, "In-place ops". */
typedef enum InPlaceOrder {
    ORDER_BY_KIND,        /* a pointwise twin: as TensorIterator; else inference, then overlap */
    ORDER_COPY,           /* copy_: a copy of self to itself is not checked */
    ORDER_FLOATING,       /* by kind, but a self of integers is left as it is, unchecked */
    ORDER_INDEX_PUT,      /* overlap with the values and with the masks behind the indices first */
    ORDER_INDEX_FILL,     /* overlap with `index` only, once its dtype and the value's size fit */
    ORDER_INDEX_COPY,     /* `dim`, then overlap, then inference */
    ORDER_MASKED_FILL,    /* the value's size, then overlap with the mask only */
    ORDER_MASKED_SCATTER, /* overlap of self with itself, then dtypes, then sizes */
    ORDER_KEPT,           /* self has the result's size and dtype from the start; overlap is
                             not checked */
    ORDER_SUM,            /* sizes, then inference, then overlap of self with itself */
    ORDER_OUTER,          /* sizes, overlap and dtypes; then whether the scalars fit */
    ORDER_SCAN,           /* inference, then the dtype argument, then overlap */
    ORDER_TRIANGLE        /* by kind; a self that is copied may not overlap itself */
} InPlaceOrder;

/* WRITES(..): what an in-place op does to the elements of a self that overlaps itself. */
typedef enum InPlaceWrites {
    WRITES_UPDATES, /* computes every element from the old one */
    WRITES_ALL,     /* writes every element and reads none of self */
    WRITES_SOME,    /* writes some elements and reads none of self */
    WRITES_INDEXED  /* the same; indices say which; with `accumulate` it reads them */
} InPlaceWrites;

/* ---- rows with an out ---- */

/* What an OUT row asks of the dtype of `out`. */
typedef enum OutDtype {
    OUT_NOT, /* the row is none */
    OUT_CAST,
    OUT_SAME,
    OUT_SAME_FIRST, /* the same, and the result has self's, so that nothing else is checked before
                     */
    OUT_CHOOSES
} OutDtype;

/* Which memory `out` may not share. */
typedef enum OutMemory {
    OUT_ITERATOR,    /* its own, or a part of an operand's: as TensorIterator */
    OUT_APART,       /* its own, or an operand's */
    OUT_APART_FIRST, /* the same, before sizes and dtypes are checked */
    OUT_UNCHECKED
} OutMemory;

/* ---- the generator ---- */

/* DRAW(..): how the generator draws the arguments, where the names and types of the parameters do
 * not tell. In-place forms take it from their twin. */
typedef enum DrawKind {
    DRAW_BY_NAME,
    DRAW_NEW_DIM,        /* `dim` counts the dims of the result, which has one more */
    DRAW_EXPANSION,      /* the size argument is one that self expands to */
    DRAW_REPETITIONS,    /* `dims` counts repetitions */
    DRAW_PLANE,          /* `dims` are two different dims */
    DRAW_JOIN,           /* the sizes of `tensors` may differ along `dim` */
    DRAW_COUNTS,         /* the main tensor holds small counts */
    DRAW_BATCH_SUM,      /* the products of the batch are summed: self has no batch dim */
    DRAW_INDEX_VECTOR,   /* `index` is a vector of indices along `dim`, and `source` follows it */
    DRAW_INDEX_FILL,     /* the same; int64 only */
    DRAW_INDEX_COPY,     /* the same; no index twice */
    DRAW_SCATTER,        /* no element of self is written twice */
    DRAW_SCATTER_REDUCE, /* `src` has the index's size; `reduce` names one of five reductions */
    DRAW_ADDR,           /* vectors whose outer product fits self */
    DRAW_PUT,            /* flat indices, and as many values */
    DRAW_EMBEDDING,      /* a matrix and indices of its rows */
    DRAW_EINSUM,         /* an equation and its operands */
    DRAW_GRID,           /* a list of vectors */
    DRAW_POOL_LINE,      /* a window over the last dim */
    DRAW_POOL_PLANE,     /* a window over the last two dims */
    DRAW_POOL_SPACE,     /* a window over the last three dims */
    DRAW_PARTS,          /* numbers of parts of the last dims */
    DRAW_COLUMNS,        /* sliding blocks of a plane, or their sums */
    DRAW_CONV_LINE,      /* channels and a line */
    DRAW_CONV_PLANE,     /* channels and a plane */
    DRAW_CONV_SPACE,     /* channels and three dims */
    DRAW_NLL_LOSS,       /* classes as targets, and their weights */
    DRAW_LAYER_NORM,     /* the sizes of the last dims */
    DRAW_LOSS,           /* a target of self's size and dtype; weights without a history */
    DRAW_LOSS_OF_UNIT,   /* the same, of numbers from 0 to 1 */
    DRAW_CROSS_ENTROPY,  /* classes along dim 1 and their weights; classes or probabilities */
    DRAW_INDEX_REDUCE,   /* as INDEX_VECTOR; `reduce` names one of four reductions */
    DRAW_CHANNEL_GROUPS, /* a divisor of the channels, which are dim 1 */
    DRAW_ONE_HOT,        /* the main tensor holds small classes */
    DRAW_RENORM,         /* an order and a bound of norms */
    DRAW_CHANNEL_NORM,   /* parameters and statistics of as many elements as dim 1 has */
    DRAW_PAIRS,          /* operands of one size, and a target of 1 and -1 */
    DRAW_PAD,            /* pads of the last dims */
    DRAW_UPSAMPLE,       /* sizes of the last dims, and scales */
    DRAW_CROSS,          /* a dim of size 3 */
    DRAW_TENSORDOT,      /* dims of the same sizes */
    DRAW_BLOCKS,         /* a list of matrices, vectors and numbers */
    DRAW_POWERS,         /* a small number; no weights */
    DRAW_ATTENTION,      /* queries, keys, values and a mask */
    DRAW_HEADS,          /* sequences, and the weights that project them */
    DRAW_VECTOR_NORM,    /* an order of norms and dims */
    DRAW_BILINEAR,       /* rows of two widths, and a matrix of them for each result */
    DRAW_BINCOUNT,       /* the main tensor holds small classes; as many weights */
    DRAW_NEIGHBOURS,     /* how many channels are summed, which are dim 1 */
    DRAW_BAGS,           /* a matrix, indices of its rows, and where the bags of them start */
    DRAW_GAUSSIAN,       /* a target of self's size, and variances that broadcast */
    DRAW_SLOPES,         /* a smaller and a greater slope of negative numbers */
    DRAW_SAMPLES,        /* planes or spaces, and a grid of positions in them */
    DRAW_HISTOGRAM,      /* a few bins, and the ends of a range */
    DRAW_DISTANCES,      /* matrices with the same columns, and an order of norms */
    DRAW_PROBABILITIES   /* the main tensor holds numbers from 0 to 1 */
} DrawKind;

/* RANGE(..): which values the result holds, where the pointwise function or the error propagation
 * does not tell. The generator guesses with it: a superset is right, only less useful. */
typedef enum RangeKind {
    RANGE_BY_PROPAGATION,
    RANGE_UNKNOWN,
    RANGE_ZEROS,
    RANGE_ONES,
    RANGE_FILL,     /* `fill_value` */
    RANGE_TRUTH,    /* 0 and 1 */
    RANGE_INDICES,  /* rows and columns of a matrix: parameters 0 and 1 are its sizes */
    RANGE_COUNTING, /* 0, 1, 2, .. */
    RANGE_BETWEEN,  /* between parameters 0 and 1, all different */
    RANGE_LITERAL,  /* the given data */
    RANGE_COUNT,    /* counts and indices */
    RANGE_SELF,     /* elements of parameter 0 */
    RANGE_CHOSEN,   /* elements of parameter 0, or indices */
    RANGE_POOLED,   /* the same, of a floating parameter 0: what is int64 are indices */
    RANGE_PADDED,   /* copies of elements, or 0 */
    RANGE_MEAN,     /* between the smallest and the largest element */
    RANGE_MATMUL,   /* sums of products */
    RANGE_UNIT      /* between 0 and 1 */
} RangeKind;

#endif
