/* Emit: what applies an op. Decompositions and derivative rules are written once, for this
 * interface. The reference's Emit executes (and records), the compiler's records into a graph, the
 * generator's only infers.
 *
 * Values are Tensor pointers: metadata always, data only where the Emit executes. NULL stands for
 * an undefined gradient.
 *
 * Errors are sticky: after the first one (e->err->code) every emit_* returns NULL at once, so rules
 * need no checks of their own; the caller of the rule checks e->err. */
#ifndef PROGRAM_EMIT_H
#define PROGRAM_EMIT_H

#include "program/ops/op.h"

struct Emit {
    Arena *arena;
    Error *err;
    bool in_program;   /* rules run inside the program (torch.autograd.grad), which sees the strides
                          and aliases of their results */
    bool create_graph; /* ... and are differentiated themselves */
    bool in_list;      /* an op is applied to each tensor of a list */
    bool in_formula;   /* a rule runs whose numbers are no tensors (grad_run_rule) */
    /* Applies any op but a COMPOSITE (emit_call expands those); fills out[0..*nout). */
    ErrCode (*apply)(Emit *e, const Call *call, Tensor **out, int *nout);
    /* How many elements of `mask` are true: the only way for a size to depend on data. */
    ErrCode (*count_nonzero)(Emit *e, const Tensor *mask, int64_t *count);
    /* The value of a one-element integer tensor used as an index (semantics.md 6: it acts as a
     * Python int). */
    ErrCode (*item_int)(Emit *e, const Tensor *t, int64_t *value);
    /* Would an op on `t` be recorded now? NULL: nothing ever is. For the few composites that
     * PyTorch writes differently then. */
    bool (*records)(Emit *e, const Tensor *t);
    /* Does `t` require grad, whatever the grad mode? NULL: nothing does. */
    bool (*requires_grad)(Emit *e, const Tensor *t);
    /* Reads the grad_fn of `t`, as a recorded op does before it checks its operands: a stale one is
     * made anew or refused. NULL: there is no history. */
    ErrCode (*read_history)(Emit *e, Tensor *t);
    /* PyTorch leaves undefined what the statement does; `why` is static. NULL: somebody else says
     * so. */
    void (*undefined)(Emit *e, const char *why);
    int64_t size_decisions; /* by how many elements there are: other sizes may decide otherwise */
    int64_t randoms;        /* random ops that were applied so far: the number of the next one */
    const Tensor *written;  /* what the value of the op is written to, or NULL: a value that is
                               refused may leave it written in part */
};

/* Reads the history of `t` if an op on it would be recorded. Returns the sticky error. */
ErrCode emit_read_history(Emit *e, Tensor *t);

/* Applies `call`, expanding composites; out has room for MAX_OUTPUTS. Returns the sticky error. */
ErrCode emit_call(Emit *e, const Call *call, Tensor **out, int *nout);

/* The call of the functional form of an INPLACE or OUT row; any other call as it is. */
static inline Call call_functional(const Call *call) {
    Call form = {.op = call->op};
    if (call->op->kind == KIND_INPLACE) {
        call_copy(&form, call);
        form.op = op_info(call->op->twin);
    } else if (call->op->out_dtype != OUT_NOT) {
        form.op = op_info(call->op->twin);
        memcpy(form.arg, call->arg + 1, sizeof(Arg) * (size_t)form.op->nparam);
    } else {
        call_copy(&form, call);
    }
    return form;
}

/* A Call with op set and every argument at its default (a required one: zero). */
static inline void call_init(Call *call, OpId id) {
    call->op = op_info(id);
    call->number = 0;
    for (int i = 0; i < call->op->nparam; i++) {
        call->arg[i] = call->op->initial[i];
    }
}
static inline Call call_new(OpId id) {
    Call call;
    call_init(&call, id);
    return call;
}

/* The call of a FOREACH row's twin for tensor i of each list, which all have one. */
static inline Call call_of_each(const Call *call, int i) {
    Call one = call_new(call->op->twin);
    for (int k = 0; k < call->op->nparam; k++) {
        one.arg[k] = call->arg[k];
        if (call->op->param[k].type == ARG_TENSORS) {
            one.arg[k] = (Arg){.is_tensor = true, .tensor = call->arg[k].tensors.v[i]};
        }
    }
    return one;
}

/* The op with arguments in schema order, cut short where defaults do: emit_op(e, OP_mm, a, b). By
 * ArgType, the variadic arguments are: tensors Tensor*; lists (Tensor **v, int n) and (const
 * int64_t *v, int n); Scalar by value; int64_t; int for bool and dtypes; double; const char *.
 * `nargs` parameters are given. Returns the first output. */
Tensor *emit_op(Emit *e, OpId id, int nargs, ...);

/* Typed shorthands, so that rules read like formulas. A NULL operand gives NULL. */
Tensor *emit_unary(Emit *e, OpId id, Tensor *a);
Tensor *emit_binary(Emit *e, OpId id, Tensor *a, Tensor *b);
Tensor *emit_scalar(Emit *e, OpId id, Tensor *a,
                    Scalar s); /* mul_Scalar, add_Scalar, eq_Scalar, .. */
Tensor *emit_add(Emit *e, Tensor *a, Tensor *b);
Tensor *emit_sub(Emit *e, Tensor *a, Tensor *b);
Tensor *emit_mul(Emit *e, Tensor *a, Tensor *b);
Tensor *emit_div(Emit *e, Tensor *a, Tensor *b);
Tensor *emit_neg(Emit *e, Tensor *a);
Tensor *emit_scale(Emit *e, Tensor *a, Scalar s); /* a * s; `a` itself when s is exactly 1 */
Tensor *emit_where(Emit *e, Tensor *condition, Tensor *a, Tensor *b);
Tensor *emit_where_zero(Emit *e, Tensor *condition, Tensor *a); /* where(condition, a, 0) */
Tensor *emit_masked_fill(Emit *e, Tensor *a, Tensor *mask, Scalar s);
Tensor *emit_zeros_like(Emit *e, const Tensor *like); /* contiguous zeros of its size and dtype */
Tensor *emit_full(Emit *e, const int64_t *size, int ndim, Scalar value, DType dtype);
Tensor *emit_cast(Emit *e, Tensor *a, DType dtype); /* a itself if it has the dtype */
Tensor *emit_view(Emit *e, Tensor *a, const int64_t *size, int ndim);
Tensor *emit_reshape(Emit *e, Tensor *a, const int64_t *size, int ndim);
Tensor *emit_expand(Emit *e, Tensor *a, const int64_t *size, int ndim);
Tensor *emit_transpose(Emit *e, Tensor *a, int64_t dim0, int64_t dim1);
Tensor *emit_unsqueeze(Emit *e, Tensor *a, int64_t dim);
Tensor *emit_select(Emit *e, Tensor *a, int64_t dim, int64_t index);
Tensor *emit_narrow(Emit *e, Tensor *a, int64_t dim, int64_t start, int64_t length);
Tensor *emit_sum_dims(Emit *e, Tensor *a, const int64_t *dims, int ndims, bool keepdim);
Tensor *emit_mm(Emit *e, Tensor *a, Tensor *b);
/* The node of `answer` checks the version of `saved`, too. `one_node`: PyTorch has one node for
 * both, so that either is freed with the other. */
void emit_also_saves(Emit *e, Tensor *answer, Tensor *saved, bool one_node);
/* The node of `value` reads its result with the history of `result`, whose value is the same. */
void emit_result_is(Emit *e, Tensor *value, Tensor *result);
/* PyTorch has one node for both: the node of `answer` is freed with that of `other`. */
void emit_one_node(Emit *e, Tensor *answer, Tensor *other);
/* Sums broadcast dims away until the size is `size` (at::sum_to); `a` itself if it has that
 * size. */
Tensor *emit_sum_to(Emit *e, Tensor *a, const int64_t *size, int ndim);

/* ---- derivative rules ---- */

/* One application of a rule: gradients of the outputs in, gradients of the inputs out. Inputs
 * are numbered by *slot*: the tensor arguments in schema order, lists expanded in place, None
 * counted. */
enum { MAX_SLOTS = 64 };
struct Grad {
    Emit *e;
    const Call *call; /* the recorded call; tensor arguments hold the saved values (metadata only
                         where none was saved) */
    Tensor *const *result; /* outputs of the call */
    int nresult;
    Tensor *const *grad; /* gradient of each output; NULL = undefined. At least one is defined */
    const bool *need;    /* by slot: is this input's gradient wanted? */
    Tensor **out; /* by slot: the result; NULL = undefined. grad_finish corrects size and dtype */
    int nslot;
};
/* Tensor arguments as slots, in order; entries are NULL for None. Returns the count (at most
 * MAX_SLOTS). */
int call_slots(const Call *call, Tensor **slot);
/* Slot of parameter `param` (its first element if it is a list). */
int call_slot_of(const Call *call, int param);
/* Runs the rule of g->call. `in_formula`: another rule recorded the call. A number in PyTorch's
 * formulas is no tensor (mul.Scalar), but where the program itself multiplied by a number, that was
 * saved as a tensor (mul.Tensor), and the derivative multiplies by this tensor. */
void grad_run_rule(Grad *g, bool in_formula);
/* Brings a rule's result to the input's size (summing broadcast dims) and dtype, as the engine's
 * validate_outputs does. NULL stays NULL. */
Tensor *grad_finish(Emit *e, Tensor *grad, const Tensor *input);
/* Is the value of `slot` needed by the derivative, given which slots require grad (ops.def, column
 * saves)? */
bool call_saves_slot(const Call *call, int slot, const bool *requires_grad);
bool op_saves_result(const Call *call, const bool *requires_grad);
/* The rank of a slot's value, or with -1 of the result, in the order in which the op's node unpacks
 * what it saved: operands by name, then the result. In 1.13 operands have no such order; in all ops
 * that save several but hypot and mse_loss, it happens to be the reverse. */
int call_saved_rank(const Call *call, int slot);
/* Does the op, as called from Python, save a number as a tensor? */
bool op_saves_number(const OpInfo *op);
/* Is the gradient of `slot` a new tensor that keeps the offset of the incoming gradient
 * (clone_preserve_strides)? */
bool op_clones_gradient(const OpInfo *op, int slot);
/* Adds `grad` to what has arrived, as PyTorch's InputBuffer does: in place if nobody else holds
 * that (`owned`), no derivative is taken of it, and it is dense. */
Tensor *emit_accumulate(Emit *e, Tensor *sum, Tensor *grad, bool owned);
/* Does the op's node refuse backward (not_implemented), even where no gradient arrives? PyTorch's
 * derivatives.yaml does not name such an op, and its integer results get no node, where those of
 * other ops are an error (torch/csrc/autograd/autograd_not_implemented_fallback.cpp). */
bool op_refuses_backward(const OpInfo *op);
/* Does the node save anything, a Scalar that PyTorch keeps as a tensor included (not of a call that
 * was recorded with Emit.in_formula)? Such a node cannot run twice (graph_freed). */
bool op_saves_anything(const Call *call, const bool *requires_grad, bool in_formula);

/* Refuses the gradient fed for output k of torch.autograd.grad, whose size differs:
 * `invalid`. PyTorch finds the position for its message with list.index, which compares the tensor
 * with all those before it: `shape` if they do not broadcast (torch/autograd/__init__.py). */
ErrCode grad_output_mismatch(Tensor *const *outputs, Tensor *const *grads, int k, Error *err);

/* ---- Python indexing and other decompositions (program/decompose/) are reached through emit_call
 * ---- */
/* Masks (bool, uint8) among `indices` (a Tensor?[] argument that indexes `self`) become their
 * nonzero coordinates, as at::native::expandTensors does; the rest is kept. Errors: index_range
 * (too many), index_dtype, shape (a mask that does not fit). */
ErrCode emit_expand_masks(Emit *e, const Tensor *self, const Arg *indices, Arg *out);

/* A view's window: the gradient of as_strided between two geometries of one storage (CopySlices and
 * view regeneration use it): the gradient, of size `size`, of an as_strided(view) of a base with
 * the base's geometry. */
Tensor *emit_as_strided_grad(Emit *e, Tensor *grad, const Tensor *base, const Tensor *view);

#endif
