/* torch.autograd.grad inside the program (torch/autograd/__init__.py,
 * torch/csrc/autograd/python_engine.cpp):
 *
 *   gradients of the outputs: given, or ones for a scalar -> roots: the outputs' grad_fn -> inputs:
 *   their grad_fn or accumulators -> the engine, in the grad mode that create_graph selects
 *
 * Refusals come in that order. The results are tensors like any other: one that the engine passed
 * on unchanged is the tensor that was given, and one that a view op made of it under no_grad is
 * such a view. */
#include "reference/shadow.h"
#include "reference/tape.h"

/* _make_grads: the gradient for each output; NULL: None. */
static ErrCode make_grads(Session *s, const GradRequest *r, Tensor **grad, int *ngrad) {
    int n = r->ngrad_outputs < 0 || r->ngrad_outputs > r->noutputs ? r->noutputs : r->ngrad_outputs;
    for (int i = 0; i < n; i++) {
        Tensor *output = r->outputs[i];
        grad[i] = r->ngrad_outputs >= 0 ? r->grad_outputs[i] : NULL;
        if (grad[i] && !tensor_same_size(grad[i], output)) {
            return grad_output_mismatch(r->outputs, r->grad_outputs, i, s->err);
        }
        if (!grad[i] && var_requires_grad(var_of(output))) {
            if (tensor_numel(output) != 1) {
                return error_set(s->err, ERR_invalid,
                                 "grad can be implicitly created only for scalar outputs");
            }
            grad[i] = emit_unary(&s->emit, OP_ones_like, output);
        }
    }
    *ngrad = n;
    return s->err->code;
}

static ErrCode grad_find_roots(Session *s, const GradRequest *r, Tensor **grad, Edge *root) {
    for (int i = 0; i < r->noutputs; i++) {
        root[i] = var_gradient_edge(s, var_of(r->outputs[i]));
        TRY(s->err->code);
        if (!root[i].node) {
            return error_set(
                s->err, ERR_invalid,
                "element %d of tensors does not require grad and does not have a grad_fn", i);
        }
        CHECK(grad[i]); /* it requires grad */
    }
    return ERR_none;
}

/* Where the inputs' gradients arrive; nowhere (NULL) for a leaf that no recorded op has used. */
static ErrCode find_inputs(Session *s, const GradRequest *r, Edge *input) {
    for (int i = 0; i < r->ninputs; i++) {
        Var *v = var_of(r->inputs[i]);
        GradNode *fn = var_grad_fn(s, v);
        TRY(s->err->code);
        input[i] = fn ? (Edge){fn, v->output_nr} : (Edge){v->accumulator, 0};
        if (!var_requires_grad(v)) {
            return error_set(s->err, ERR_invalid,
                             "One of the differentiated Tensors does not require grad");
        }
    }
    return ERR_none;
}

ErrCode grad_run(Session *s, const GradRequest *r, Tensor **out) {
    Tensor **grad = arena_array(s->arena, Tensor *, r->noutputs);
    Edge *root = arena_array(s->arena, Edge, r->noutputs),
         *input = arena_array(s->arena, Edge, r->ninputs);
    int ngrad = 0;
    if (r->ninputs == 0 && !r->accumulates) {
        return error_set(s->err, ERR_invalid, "grad requires non-empty inputs.");
    }
    TRY(make_grads(s, r, grad, &ngrad));
    if (ngrad != r->noutputs) {
        return error_set(s->err, ERR_invalid, "got %d tensors and %d gradients", r->noutputs,
                         ngrad);
    }
    TRY(grad_find_roots(s, r, grad, root));
    TRY(find_inputs(s, r, input));
    for (int i = 0; i < r->noutputs; i++) {
        grad[i] =
            grad_finish(&s->emit, grad[i], edge_meta(root[i])); /* in the caller's grad mode */
    }
    TRY(s->err->code);
    bool mode = s->grad_mode;
    s->grad_mode = s->emit.create_graph = r->create_graph;
    s->emit.in_program = true;
    for (int i = 0; i < r->ninputs; i++) {
        out[i] = NULL;
    }
    ErrCode code = engine_run(s, &(EngineTask){.roots = root,
                                               .tangents = grad,
                                               .nroots = r->noutputs,
                                               .inputs = input,
                                               .ninputs = r->ninputs,
                                               .captured = out,
                                               .retain_graph = r->retain_graph});
    s->grad_mode = mode;
    s->emit.in_program = s->emit.create_graph = false;
    TRY(code);
    for (int i = 0; i < r->ninputs; i++) {
        if (!out[i] && !r->allow_unused) {
            return error_set(
                s->err, ERR_invalid,
                "One of the differentiated Tensors appears to not have been used in the graph");
        }
    }
    return ERR_none;
}

/* ---- .grad ---- */

/* AccumulateGrad (torch/csrc/autograd/functions/accumulate_grad.h): which tensor .grad is.
 *
 *   no .grad yet     the gradient itself, if nobody else holds that very tensor, it has the leaf's
 *                    layout and no graph is created; else a copy in that layout
 *   .grad is there   added in place; with create_graph the sum is a new tensor
 *
 * A program sees the difference where it reads or sets .grad: what it holds may be written by a
 * later backward, and a gradient that a view op made shares memory with the one that it was made
 * of. Where no program looks (`dot_grads` false), the gradient is kept as it is. */

/* In a backward of the harness results are bare; .grad is a Var. */
static Tensor *accumulate_own(Session *s, Tensor *t) {
    return s->running_backward && s->dot_grads ? &var_new(s, t)->tensor : t;
}

/* utils::obeys_layout_contract */
static bool accumulate_obeys(const Tensor *grad, const Tensor *leaf) {
    if (!tensor_is_dense(leaf)) {
        return tensor_is_contiguous(grad);
    }
    for (int d = 0; d < grad->ndim; d++) {
        if (grad->size[d] != 1 ? grad->stride[d] != leaf->stride[d] : grad->stride[d] == 0) {
            return false;
        }
    }
    return true;
}

/* Does somebody else hold the very tensor: the caller, a node that has saved it (cummax passes on
 * an operand without elements), or one that has still to run? */
static bool accumulate_is_held(const Session *s, const EngineTask *task, const Tensor *grad) {
    for (int k = 0; k < task->nroots; k++) {
        if (task->tangents[k] == grad) {
            return true;
        }
    }
    for (const GradNode *node = s->visited; node; node = node->prev_visited) {
        for (int i = 0; i < node->nsaved; i++) {
            if (node->saved[i].value == grad) {
                return true;
            }
        }
        for (int i = 0; i < node->nout && node->ran != s->visits; i++) {
            if (node->grad[i] == grad) {
                return true;
            }
        }
    }
    return false;
}

/* utils::clone_obey_contract */
static ErrCode accumulate_clone(Session *s, const Var *leaf, Tensor *grad, Tensor **out) {
    const Tensor *like = &leaf->tensor;
    if (!tensor_is_dense(like) || !tensor_same_size(like, grad)) {
        Tensor *copy = emit_unary(&s->emit, OP__contiguous_copy, grad);
        *out = copy ? accumulate_own(s, copy) : NULL;
        return s->err->code;
    }
    Tensor *own = tensor_meta(s, like);
    own->offset = 0;
    own->dtype = grad->dtype;
    TRY(tensor_allocate(own, s->arena, s->limits, s->err));
    shadow_allocate(s, own);
    *out = &var_new(s, own)->tensor;
    if (!s->running_backward) {
        (void)emit_op(&s->emit, OP_copy_, 2, *out, grad);
        return s->err->code;
    }
    tensor_copy_data(*out, grad, NULL);
    if (s->shadow) {
        shadow_copy(*out, grad);
    }
    return ERR_none;
}

/* .grad += grad, without a graph. */
static ErrCode accumulate_in_place(Session *s, Tensor *sum, Tensor *grad) {
    bool bare = s->running_backward, mode = s->grad_mode;
    s->running_backward = s->grad_mode = false;
    (void)emit_op(&s->emit, OP_add__Tensor, 2, sum, bare ? &var_new(s, grad)->tensor : grad);
    s->running_backward = bare;
    s->grad_mode = mode;
    return s->err->code;
}

Tensor *input_buffer_add(Session *s, Tensor *sum, Tensor *grad, bool owned) {
    Tensor *added = emit_accumulate(&s->emit, sum, grad, owned);
    if (s->detect_unspecified && added && !owned && s->emit.in_program && !s->emit.create_graph &&
        tensor_is_dense(sum) && !sizes_equal(added->stride, added->ndim, sum->stride, sum->ndim)) {
        session_unspecified(s, "the strides of a sum of gradients, which may be made in place");
    }
    return added;
}

ErrCode accumulate(Session *s, const EngineTask *task, Var *leaf, Tensor *grad) {
    bool graph = s->grad_mode && !s->running_backward;
    if (!s->dot_grads) {
        Tensor *own = s->running_backward || leaf->grad
                          ? grad
                          : emit_unary(&s->emit, OP__contiguous_copy, grad);
        leaf->grad = leaf->grad ? emit_add(&s->emit, leaf->grad, grad) : own;
        return s->err->code;
    }
    if (leaf->grad && !graph) {
        return accumulate_in_place(s, leaf->grad, grad);
    }
    if (leaf->grad) {
        leaf->grad = emit_add(&s->emit, leaf->grad, grad);
        return s->err->code;
    }
    if (!graph && accumulate_obeys(grad, &leaf->tensor) && !accumulate_is_held(s, task, grad)) {
        leaf->grad = &var_new(s, grad)->tensor; /* detached */
        return ERR_none;
    }
    return accumulate_clone(s, leaf, grad, &leaf->grad);
}

ErrCode accumulate_retained(Session *s, Var *v, Tensor *grad) {
    if (!grad && since(retain_of_nothing)) {
        return ERR_none;
    }
    if (!grad && s->running_backward &&
        !v->returned) { /* if it lives on, as some node's saved operand, PyTorch refuses */
        session_undefined(
            s, true, "an undefined gradient for a retained tensor that no name holds any more");
        return ERR_none;
    }
    if (!grad) { /* PyTorch clones it before it checks */
        return error_set(s->err, ERR_invalid, "Expected a proper Tensor but got None");
    }
    Tensor *sum = v->grad        ? emit_add(&s->emit, v->grad, grad)
                  : s->dot_grads ? emit_unary(&s->emit, OP_clone, grad)
                                 : emit_unary(&s->emit, OP__contiguous_copy, grad);
    v->grad = sum ? accumulate_own(s, sum) : NULL;
    return s->err->code;
}
