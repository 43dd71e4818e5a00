/* The op table: ops.def expanded, ATen schema strings parsed once.
 *
 * An op is one row of ops.def plus the functions that the row names. JSON, verifier, generator,
 * printers and both executors learn about ops from OpInfo and from nothing else.
 *
 * Kinds of row
 *   FACTORY       makes a tensor from no tensor (or from a tensor's metadata only); never recorded;
 *                 takes requires_grad
 *   VIEW          aliases self with other sizes, strides, offset; differentiable
 *   MULTI_VIEW    several views of self, with stricter in-place rules (unbind, split, chunk)
 *   POINTWISE     one scalar function over broadcast operands
 *   FUNC          any other functional op with its own kernel
 *   COMPOSITE     expressed in other ops, through Emit (program/decompose/); never recorded itself
 *   INPLACE       writes the value of its functional form, its twin, to self
 *   INPLACE_VIEW  gives self the geometry of a view: other sizes and strides for the same tensor
 *                 object (t_, squeeze_, ..)
 *   OUT           writes the value of its functional form, its twin, to a tensor that may get its
 *                 size: `out` in ATen, which programs call `into` (`out` names results) and which
 * is parameter 0, like everything that is written. A COMPOSITE with a twin META          changes or
 * cuts history only: detach, detach_, requires_grad_, retain_grad (the executors know them by id)
 *   STORAGE       another reading of self's memory (view.dtype), or a change of the memory itself;
 *                 never recorded, known by id
 */
#ifndef PROGRAM_OP_H
#define PROGRAM_OP_H

#include "program/semantics/semantics.h"
#include "program/ops/hints.h"
#include "tensor/philox.h"
#include "tensor/pointwise.h"
#include "tensor/tensor.h"

#include <string.h>

typedef enum OpId {
#define ROW(id) OP_##id,
#include "program/ops/rows.def"
#undef ROW
    OP_COUNT,
    OP_NONE = -1
} OpId;

typedef enum OpKind {
    KIND_FACTORY,
    KIND_VIEW,
    KIND_MULTI_VIEW,
    KIND_POINTWISE,
    KIND_FUNC,
    KIND_COMPOSITE,
    KIND_INPLACE,
    KIND_INPLACE_VIEW,
    KIND_META,
    KIND_STORAGE
} OpKind;

/* How rounding errors of a functional op's operands reach its result: read by the float64 shadow,
 * by the compiler's lowering and by the generator. */
typedef enum ErrorPropagation {
    PROPAGATION_NONE,    /* not floating, or not a function of the elements */
    PROPAGATION_MOVE,    /* every output element is a copy of some input element, or a constant */
    PROPAGATION_SUM,     /* sums of input elements */
    PROPAGATION_PROD,    /* products of input elements */
    PROPAGATION_EXTREME, /* one of the reduced elements */
    PROPAGATION_MATMUL,  /* sums of products of two inputs, plus a scaled third (addmm) */
    PROPAGATION_SOFTMAX,
    PROPAGATION_SCATTER_ADD, /* moved, and summed where several meet */
    PROPAGATION_ORDER,       /* indices: which elements are chosen depends on their order */
    PROPAGATION_VARIANCE,
    PROPAGATION_NORM,
    PROPAGATION_LOGSUMEXP, /* logarithms of sums of exponentials */
    PROPAGATION_SEARCH,    /* positions of the other operands' elements among those of the first */
    PROPAGATION_STEPS, /* as SCATTER_ADD, but rounded at every step: the same bits if the operands
                          are the same */
    PROPAGATION_TRUTH, /* which elements are nonzero */
    PROPAGATION_NORMALIZED, /* elements less their mean, over their deviation */
    PROPAGATION_POLYNOMIAL  /* sums of products of input elements, some of them with a minus: grows
                               with their magnitudes */
} ErrorPropagation;

typedef enum ArgType {
    ARG_TENSOR,
    ARG_TENSOR_OPT,
    ARG_TENSORS,
    ARG_TENSORS_OPT /* Tensor?[] */,
    ARG_SCALAR,
    ARG_SCALAR_OPT,
    ARG_INT,
    ARG_INT_OPT,
    ARG_INTS,
    ARG_INTS_OPT,
    ARG_BOOL,
    ARG_FLOAT,
    ARG_FLOAT_OPT,
    ARG_DTYPE,
    ARG_DTYPE_OPT,
    ARG_STR,
    ARG_STR_OPT,
    ARG_INDEX /* getitem, setitem: Python index items */,
    ARG_VALUE /* setitem: Tensor or Scalar */,
    ARG_DATA /* tensor literal */
} ArgType;

enum { MAX_PARAMS = 14, MAX_OUTPUTS = 64 };

/* One item of a Python index, bound to tensors. */
typedef enum IndexKind {
    INDEX_INT,
    INDEX_SLICE,
    INDEX_NEWAXIS,
    INDEX_ELLIPSIS,
    INDEX_BOOL,
    INDEX_TENSOR,
    INDEX_LIST
} IndexKind;
typedef struct IndexItem {
    IndexKind kind;
    bool has_start, has_stop, has_step;
    int64_t start, stop, step; /* SLICE; INT uses start; BOOL uses start 0/1 */
    Tensor *tensor;            /* TENSOR */
    const int64_t *list;       /* LIST: `count` int64 values */
    int count;
} IndexItem;

/* The value of one argument of a call. `none`: an optional argument that was not given. */
typedef struct Arg {
    bool none;
    bool is_tensor; /* ARG_VALUE: tensor, else scalar */
    union {
        Tensor *tensor;
        struct {
            Tensor **v;
            int n;
        } tensors; /* entries may be NULL for Tensor?[] */
        Scalar scalar;
        int64_t i;
        struct {
            const int64_t *v;
            int n;
        } ints;
        double f;
        bool b;
        DType dtype;
        const char *str;
        struct {
            const IndexItem *v;
            int n;
        } index;
        struct {
            const void *data;
            int64_t n;
        } data; /* tensor literal: n elements of the dtype argument */
    };
} Arg;

typedef struct OpInfo OpInfo;

/* An op applied to values: the unit both executors, inference, kernels and derivative rules work
 * on. Copy it with call_copy. */
typedef struct Call {
    const OpInfo *op;
    int64_t number; /* of a random op: which one it is of those that the program has run; else 0 */
    Arg arg[MAX_PARAMS]; /* in schema order; those behind op->nparam are indeterminate */
} Call;

/* ---- the functions a row names ---- */

/* The result of inference: metadata of the outputs (storage NULL), allocated in `arena`. */
typedef struct Infer {
    Arena *arena;
    Error *err;
    bool in_place; /* for an in-place op, whose operands are those of the functional one */
    int n;
    Tensor *out;
    DType compute;                 /* POINTWISE: the dtype that typing said to compute in */
    const struct IndexPlan *index; /* index, _index_put: how the indices meet self (infer.h) */
} Infer;
/* Sets r->n and r->out, or returns the refusal. For a VIEW the outputs' offsets and strides are
 * those in self's storage. */
typedef ErrCode (*InferFn)(const Call *call, Infer *r);

typedef struct KernelCtx {
    Arena *arena; /* scratch */
    Error *err;
    const char *undefined;      /* set by a kernel to say why PyTorch leaves the result undefined
                                   (format.md, x-undefined) */
    const Infer *inferred;      /* the result of inference for this call, so that it is not computed
                                   again; or NULL */
    const RandomStream *stream; /* of random ops; NULL: the one of seed 0 */
} KernelCtx;
/* Computes into `out` (allocated as inferred, zeroed). Errors are those of *values*: index_range,
 * invalid. */
typedef ErrCode (*KernelFn)(const Call *call, Tensor *const *out, KernelCtx *k);

typedef struct Emit Emit;
/* Writes a COMPOSITE in other ops. outs has room for MAX_OUTPUTS. */
typedef ErrCode (*DecomposeFn)(Emit *e, const Call *call, Tensor **out, int *nout);

typedef struct Grad Grad;
/* A derivative rule (emit.h); a row without one says `nondiff`. */
typedef void (*GradFn)(Grad *g);

/* Operand dtypes of a POINTWISE op: computation and result dtype, or the refusal (dtype). */
typedef ErrCode (*TypingFn)(const Call *call, DType *compute, DType *result, Error *err);

/* A name as one number, so that looking up a parameter by its name compares numbers only;
 * folded by the compiler for a literal. The first eight bytes, and for longer names the last eight
 * too; the names of the table have different keys (op_table_init). */
__attribute__((always_inline)) static inline uint64_t name_key(const char *name) {
    size_t n = strlen(name);
    uint64_t head = 0, tail = 0;
    memcpy(&head, name, n < 8 ? n : 8);
    if (n > 8) {
        memcpy(&tail, name + n - 8, 8);
    }
    return head ^ tail * 0x9E3779B97F4A7C15u;
}

/* ---- one row, parsed ---- */
typedef struct Param {
    const char *name;
    uint64_t key; /* name_key(name) */
    ArgType type;
    bool kwonly;
    bool has_default;
    Arg def;       /* the default, if has_default (ints point into the table's memory) */
    bool writes;   /* Tensor(a!) */
    bool aliased;  /* Tensor(a) or Tensor(a!) */
    int list_size; /* int[2]: 2, a single int stands for all; else 0 */
} Param;

/* Coarse families of ops: the generator weighs them, and the mutators and the minimizer replace an
 * op by another one of its family (ops/class.c). */
typedef enum OpClass {
    CLASS_FACTORY,
    CLASS_VIEW,
    CLASS_MULTI_VIEW,
    CLASS_COMPOSITE,
    CLASS_GETITEM,
    CLASS_SETITEM,
    CLASS_MOVE,
    CLASS_REDUCE,
    CLASS_MATMUL,
    CLASS_UNARY,
    CLASS_BINARY,
    CLASS_LOGIC,
    CLASS_WRITE_UNARY,
    CLASS_WRITE_BINARY,
    CLASS_WRITE_LOGIC,
    CLASS_WRITE_MOVE,
    CLASS_RELAYOUT,
    CLASS_META,
    CLASS_FOREACH,
    CLASS_WRITE_OUT,
    CLASS_STORAGE,
    CLASS_RANDOM,
    CLASS_COUNT,
    CLASS_NEVER = CLASS_COUNT /* programs cannot name it */
} OpClass;

enum { SAVED_ALWAYS = 1 << MAX_PARAMS };

struct OpInfo {
    OpId id;
    OpClass class;
    const char *id_name;  /* the row's C identifier: add_Tensor */
    const char *schema;   /* the ATen schema, whole */
    const char *name;     /* add, add_, slice: what JSON calls it */
    const char *overload; /* Tensor, "" */
    uint32_t code; /* 24 bits that stand for "name.overload" in bytes, whatever the table's order
                      (fuzz/codec/codec.h) */
    OpKind kind;
    int nparam;
    uint64_t names; /* a set that holds its parameters' names, and others: bits name_bit(key) */
    Param param[MAX_PARAMS];
    Arg initial[MAX_PARAMS];   /* every argument at its default; a required one: zero */
    int ntensor;               /* parameters that are one tensor each (or None) .. */
    int8_t tensor[MAX_PARAMS]; /* .. their indices */
    int8_t slot[MAX_PARAMS];   /* by parameter: which of those it is, -1: none; where slots do not
                                  vary, that is its slot (emit.h) */
    bool slots_vary; /* some parameter is a list of tensors, or a tensor or a Scalar as the call
                        likes */
    uint64_t non_differentiable; /* slots (bits) that carry no gradient: indices and masks
                                    (derivatives.yaml) */
    uint16_t lists;              /* parameters that are lists of tensors or ints (bits) */
    int nreturn;                 /* 1; 0 for `-> ()`; -1: Tensor[] */
    bool returns_alias;          /* some return carries an alias mark */
    InferFn infer;               /* FACTORY, VIEW, MULTI_VIEW, FUNC, STORAGE, POINTWISE (common) */
    KernelFn kernel;             /* FACTORY, FUNC, POINTWISE (common) */
    DecomposeFn decompose;       /* COMPOSITE */
    GradFn grad;                 /* NULL = nondiff */
    const char *saves; /* what the derivative needs: "other:self, self:other": `self:other` = self,
                          if other requires grad; "result" */
    uint8_t name_rank[MAX_PARAMS]; /* of the parameters' names, sorted */
    uint16_t saved[MAX_PARAMS], saves_result,
        saves_any; /* the same: sets of parameters (bits) of which one must require grad, or
                      SAVED_ALWAYS */
    ErrorPropagation propagation; /* FUNC */
    ValueChecks value_checks;     /* FUNC */
    int no_kernel;                /* NO_KERNEL_..: half types that it has no kernel for */
    Semantics kernel_since;       /* up to this version */
    Pw pw;                        /* POINTWISE */
    TypingFn typing;              /* POINTWISE */
    int noperand;                 /* POINTWISE: operands, as parameter indices */
    int operand[PW_MAX_OPERANDS];
    bool wraps_scalar; /* POINTWISE: a Scalar operand is a 0-dim tensor to PyTorch's TensorIterator
                        */
    signed char operand_missing[PW_MAX_OPERANDS]; /* what a None operand stands for: -1 lowest, +1
                                                     highest, 0 may not be None */
    OpId twin;          /* INPLACE, OUT: the functional form; INPLACE_VIEW: the view */
    bool foreach;       /* FOREACH, whose twin is the op of one tensor */
    OutDtype out_dtype; /* OUT, else OUT_NOT */
    OutMemory out_memory;
    bool checks_overlap; /* INPLACE: refuses a self that overlaps itself (semantics.md 3.3) */
    bool types_first;    /* INPLACE, and its functional form: checks dtypes before memory and
                            sizes */
    bool casts_first;    /* INPLACE: and whether the result can be cast to self */
    bool silent;         /* INPLACE: does not count the version */
    bool writes_uncast;  /* INPLACE: the result must have self's dtype (`invalid`): its loop asserts
                            that it need not cast */
    InPlaceOrder order;  /* INPLACE */
    InPlaceWrites writes; /* INPLACE */
    /* for the generator only; in-place rows have what their twin has, unless they say otherwise */
    DrawKind draw;
    RangeKind range;
    int dims[2];       /* the fewest and the most dims of the main tensor; dims[1] 0: not given */
    OpId window;       /* FUNC: the view that `src` has the size of; or OP_NONE */
    bool one_formula;  /* PyTorch computes the gradients of all operands by one formula */
    bool discrete;     /* the result jumps where operands move a little */
    bool floating;     /* FACTORY: floating if no dtype is given */
    bool summed_size;  /* a size of the result is a sum of operand values */
    bool random;       /* draws from the stream of random numbers (Call.number) */
    bool one_node;     /* COMPOSITE: one node in PyTorch, which reads the history of its operands
                          (grad_fn, which a stale view may refuse) before the op checks anything */
    bool checks_first; /* a composite in PyTorch, which checks its operands before it reads their
                          history */
    bool memory_order; /* FUNC: the values of the result, or whether the op refuses self, depend on
                          the order in which the elements of self lie in memory */
    bool long_memory;  /* FUNC: PyTorch gives its result more memory than the result needs */
    bool reads_memory; /* it may read as far as the memory of its operand goes */
};

const OpInfo *op_info(OpId id);
/* Is the row for derivative rules and decompositions only, so that programs cannot name it? */
static inline bool op_name_is_internal(const char *name) {
    return name[0] == '_' && strncmp(name, "_foreach_", 9) != 0;
}
/* The functional form of an INPLACE or OUT row, else the row itself. */
static inline const OpInfo *op_form(const OpInfo *op) {
    return op->kind == KIND_INPLACE || op->out_dtype != OUT_NOT ? op_info(op->twin) : op;
}

/* Is it a set_ that is given sizes and strides? To autograd, its source is a storage. */
static inline bool op_takes_storage(const OpInfo *op) {
    return op->id == OP_set__source_Tensor_storage_offset;
}
static inline bool op_sets_storage(const OpInfo *op) {
    return op->id == OP_set__source_Tensor || op_takes_storage(op);
}

/* Does the op check its operands before it reads their history? */
static inline bool op_checks_first(const OpInfo *op) {
    return op->checks_first && (op->id != OP_diag || since(diag_is_composed));
}

/* The arguments that the op has, and no more. */
static inline void call_copy(Call *to, const Call *from) {
    memcpy(to, from, offsetof(Call, arg) + (size_t)from->op->nparam * sizeof(Arg));
}

/* Parses every schema; call once before anything else (later calls do nothing). Dies on a bad
 * row. */
void op_table_init(void);
const OpInfo *op_info(OpId id);
/* op_info(id)->class, from a table that stays in the cache. */
OpClass op_class(OpId id);
/* The rows whose JSON name is `name`, in table order: *first and a count; 0 if unknown. Overloads
 * of a name stand together. */
int op_overloads(const char *name, const OpInfo **first);
/* The op that programs may name whose code is `code`, or comes next in the order of codes (behind
 * the last, the first). */
const OpInfo *op_by_code(uint32_t code);
/* The family of a row; `twin`: the row that it is the in-place form of, or NULL. */
OpClass op_class_of(const OpInfo *op, const OpInfo *twin);

/* The bit of a name in a set of 64: for most names one bit tells that the op has no such
 * parameter. */
__attribute__((always_inline)) static inline uint64_t name_bit(uint64_t key) {
    return UINT64_C(1) << (key * 0x9E3779B97F4A7C15u >> 58);
}
__attribute__((always_inline)) static inline bool param_is(const Param *p, const char *name) {
    return p->key == name_key(name);
}
/* Index of the parameter with this name, or -1. */
__attribute__((always_inline)) static inline int op_param(const OpInfo *op, const char *name) {
    uint64_t key = name_key(name);
    for (int k = 0; op->names & name_bit(key) && k < op->nparam; k++) {
        if (op->param[k].key == key) {
            return k;
        }
    }
    return -1;
}
/* The same for text from a file, which may have the key of another name. */
int op_find_param(const OpInfo *op, const char *text);

#endif
