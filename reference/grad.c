/* torch.autograd.grad inside the program (torch/autograd/__init__.py,
 * torch/csrc/autograd/python_engine.cpp):
 *
 *   gradients of the outputs: given, or ones for a scalar -> roots: the outputs' grad_fn -> inputs:
 *   their grad_fn or accumulators -> the engine, in the grad mode that create_graph selects
 *
 * Refusals come in that order. The results are tensors like any other: one that the engine passed
 * on unchanged is the tensor that was given, and one that a view op made of it under no_grad is
 * such a view. */
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
    if (r->ninputs == 0) {
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
