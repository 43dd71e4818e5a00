/* The layouts of a call, by op; refusals; the comparison with inference. */
#include "compiled/views/layout.h"
#include "program/infer/infer.h"

static bool view_layouts(ViewCall *v) {
    switch (v->call->op->id) {
    case OP_view:
    case OP_view_as:
        return view_of_view(v);
    case OP_transpose:
    case OP_swapaxes:
        return view_of_transpose(v);
    case OP_permute:
        return view_of_permute(v);
    case OP_t:
        return view_of_t(v);
    case OP_expand:
    case OP_expand_as:
        return view_of_expand(v);
    case OP_slice:
        return view_of_slice(v);
    case OP_select:
        return view_of_select(v);
    case OP_narrow:
        return view_of_narrow(v);
    case OP_unsqueeze:
        return view_of_unsqueeze(v);
    case OP_squeeze:
    case OP_squeeze_dim:
        return view_of_squeeze(v);
    case OP_diagonal:
        return view_of_diagonal(v);
    case OP_unfold:
        return view_of_unfold(v);
    case OP_as_strided:
        return view_of_as_strided(v);
    case OP_alias:
        return view_of_alias(v);
    case OP_movedim:
        return view_of_movedim(v);
    case OP_unbind:
        return view_of_unbind(v);
    case OP_split:
    case OP_split_with_sizes:
    case OP_chunk:
        return view_of_pieces(v);
    case OP_view_dtype:
        return view_of_reading(v);
    case OP_set__source_Tensor:
        return view_of_source(v);
    case OP_set__source_Tensor_storage_offset:
        return view_of_window(v);
    case OP_resize_:
    case OP__resize_out:
        return view_of_resized(v);
    default:
        CHECK(!"a view op");
        return false;
    }
}

/* Both must come to the same layouts; only the strides of dims of size 1 and of empty tensors could
 * differ without consequences, and not even they do. */
static void check_against_inference(const ViewCall *v) {
    Error err;
    error_begin(&err, true);
    Infer r = {.arena = v->arena, .err = &err};
    ErrCode code = v->call->op->infer(v->call, &r);
    CHECK(code == ERR_none && r.n == v->n);
    for (int k = 0; k < r.n; k++) {
        CHECK(r.out[k].dtype == v->out[k].dtype && tensor_same_layout(&r.out[k], &v->out[k]));
    }
}

static bool compares_with_inference(const Compile *c) {
    return compile_checks_itself(c) && c->options->fault == FAULT_NONE;
}

/* PyTorch's text and code for a refusal. If inference does not refuse the call, the executors
 * disagree, which the comparison of results reports. */
static ErrCode refuse(const Compile *c, const Call *call, Infer *r) {
    ErrCode code = call->op->infer(call, r);
    CHECK(code != ERR_none || !compares_with_inference(c));
    return code != ERR_none
               ? code
               : error_set(r->err, ERR_index_range, "%s is out of range", call->op->name);
}

ErrCode view_infer(const Compile *c, const Call *call, Infer *r) {
    ViewCall v = {.c = c, .arena = r->arena, .call = call, .self = call->arg[0].tensor};
    if (!view_layouts(&v)) {
        return refuse(c, call, r);
    }
    if (compares_with_inference(c)) {
        check_against_inference(&v);
    }
    r->out = v.out;
    r->n = v.n;
    return ERR_none;
}

/* ---- functional ops ---- */

/* The reductions, and those like them, are the ops whose first arguments are (self, dim, bool). */
bool view_names_dims(const OpInfo *op) {
    return op->nparam > 2 && op->param[2].type == ARG_BOOL && op->param[1].type >= ARG_INT &&
           op->param[1].type <= ARG_INTS_OPT && param_is(&op->param[1], "dim");
}

static bool dims_exist(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dim = &call->arg[1];
    ArgType type = call->op->param[1].type;
    int d, order[MAX_DIMS];
    return dim->none ||
           (type == ARG_INT || type == ARG_INT_OPT ? dim_normal(dim->i, self->ndim, &d)
                                                   : dims_normal(dim, self->ndim, order));
}

/* Seeded fault ER-17: a dim is in range of the rank, so that a 0-dim tensor has none. */
static bool reduces_no_dim(const Compile *c, const Call *call) {
    const Arg *dim = &call->arg[1];
    ArgType type = call->op->param[1].type;
    bool names = !dim->none && (type == ARG_INT || type == ARG_INT_OPT || dim->ints.n > 0);
    return fault(c, FAULT_ER_17) && call->arg[0].tensor->ndim == 0 && names &&
           fault_triggered(c, FAULT_ER_17);
}

ErrCode view_check_dims(const Compile *c, const Call *call, Error *err) {
    bool right = dims_exist(call) && !reduces_no_dim(c, call);
    CHECK(right || !compares_with_inference(c));
    return right ? ERR_none
                 : error_set(err, ERR_index_range, "%s: dim out of range", call->op->name);
}

/* ---- the parts of a tensor that an op writes ---- */

bool view_scattered(const Call *call, const Tensor *like, Tensor *out) {
    const Arg *arg = call->arg + 2; /* behind self and src */
    switch (call->op->id) {
    case OP_slice_scatter:
        return layout_slice(like, arg, out);
    case OP_select_scatter:
        return layout_select(like, arg[0].i, arg[1].i, out);
    case OP_diagonal_scatter:
        return layout_diagonal(like, arg[0].i, arg[1].i, arg[2].i, out);
    case OP_as_strided_scatter: /* without a storage: a dense copy of self */
        return layout_as_strided(like, arg,
                                 like->storage ? like->storage->numel : tensor_numel(like), out);
    default:
        CHECK(!"a *_scatter op");
        return false;
    }
}

bool view_joined(const Call *call, const Tensor *result, const Tensor *operand, int64_t *at,
                 Tensor *part) {
    bool stack = call->op->id == OP_stack;
    if (!stack && operand->ndim == 1 && operand->size[0] == 0) {
        return false;
    }
    int dim;
    CHECK(dim_normal(call->arg[1].i, result->ndim, &dim));
    layout_begin(part, result);
    part->offset = offset_along(result->offset, result->stride[dim], *at);
    for (int d = 0; d < result->ndim; d++) {
        if (d != dim) {
            layout_add(part, result->size[d], result->stride[d]);
        } else if (!stack) {
            layout_add(part, operand->size[d], result->stride[d]);
        }
    }
    *at += stack ? 1 : operand->size[dim];
    return true;
}
