/* grid_sampler_2d, grid_sampler_3d and grid_sampler, and their derivatives. The op is one node, and
 * so is its gradient, which saves the gradient, the input and the grid; second derivatives are
 * written in ops that have derivatives. */
#include "program/decompose/nodes.h"
#include "program/derivatives/derivatives.h"
#include "program/infer/infer.h"
#include "program/sampling/grid.h"
#include "program/semantics/semantics.h"

/* The value of a node, row-major. */
ErrCode infer_sampled(const Call *call, Infer *r) {
    const Tensor *value = call->arg[op_param(call->op, "value")].tensor;
    return infer_contiguous(r, value->dtype, value->size, value->ndim);
}

/* ---- the op ---- */

static ErrCode check_grid_sizes(const Tensor *input, const Tensor *grid, Error *err) {
    if (input->ndim == 0 || grid->ndim == 0) {
        return error_set(err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    if (input->size[0] != grid->size[0]) {
        return error_set(err, ERR_invalid,
                         "grid_sampler(): expected grid and input to have same batch size");
    }
    if (grid->size[grid->ndim - 1] != input->ndim - 2) {
        return error_set(err, ERR_invalid,
                         "grid_sampler(): expected grid to have size %d in last dimension",
                         input->ndim - 2);
    }
    for (int d = 2; d < input->ndim; d++) {
        if (input->size[d] == 0) {
            return error_set(err, ERR_invalid,
                             "grid_sampler(): expected input to have non-empty spatial dimensions");
        }
    }
    return ERR_none;
}

/* A result without elements has no kernel in two dims (in 1.13 it is looked for), and reads no grid
 * in three. */
static ErrCode check_grid_dtypes(const Tensor *input, const Tensor *grid, int n, Error *err) {
    bool empty = input->size[0] == 0 || input->size[1] == 0 || tensor_numel(grid) == 0,
         half = dtype_bytes(input->dtype) < 4,
         kernel = dtype_is_float(input->dtype) &&
                  !(half && (n == 3 ? semantics_now < SEMANTICS_2_15 : !since(half_kernels)));
    if (!kernel && !(empty && n == 2 && semantics_now >= SEMANTICS_2_8)) {
        return error_set(err, ERR_dtype, "\"grid_sampler%dd_cpu\" not implemented for '%s'", n,
                         dtype_name(input->dtype));
    }
    return input->dtype == grid->dtype || empty
               ? ERR_none
               : error_set(err, ERR_dtype, "expected scalar type %s but found %s",
                           dtype_name(input->dtype), dtype_name(grid->dtype));
}

static ErrCode check_grid_sampler(const Call *call, Error *err) {
    const Tensor *input = call->arg[0].tensor, *grid = call->arg[1].tensor;
    int64_t mode = call->arg[2].i, padding = call->arg[3].i;
    int n = call->op->id == OP_grid_sampler_3d ? 3 : 2;
    TRY(check_grid_sizes(input, grid, err));
    if (input->ndim != n + 2 || grid->ndim != n + 2) {
        return error_set(
            err, ERR_invalid,
            "grid_sampler(): expected %dD input and grid with same number of dimensions", n + 2);
    }
    if (n == 3 && mode == GRID_CUBIC && semantics_now < SEMANTICS_2_15) {
        return error_set(err, ERR_invalid,
                         "grid_sampler(): bicubic interpolation only supports 4D input");
    }
    if (mode < 0 || mode > GRID_CUBIC || padding < 0 || padding > GRID_REFLECTION) {
        return error_set(err, ERR_unsupported, "grid_sampler of mode %lld, padding %lld",
                         (long long)mode, (long long)padding);
    }
    return check_grid_dtypes(input, grid, n, err);
}

static Tensor *grid_zeros(Emit *e, const int64_t *size, int ndim, DType dtype) {
    return emit_full(e, size, ndim, scalar_int(0), dtype);
}

/* The sizes of the result: [N, C, out..]. */
static void sampled_size(const Tensor *input, const Tensor *grid, int64_t *size) {
    size[0] = input->size[0];
    size[1] = input->size[1];
    for (int d = 2; d < input->ndim; d++) {
        size[d] = grid->size[d - 1];
    }
}

ErrCode decompose_grid_sampler(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *grid = call->arg[1].tensor, *value;
    int mode = (int)call->arg[2].i, padding = (int)call->arg[3].i;
    bool align = call->arg[4].b;
    int64_t size[GRID_DIMS + 2];
    int none[GRID_DIMS] = {0};
    *nout = 0;
    TRY(node_read_histories(e, call, 2));
    TRY(check_grid_sampler(call, e->err));
    sampled_size(input, grid, size);
    GridPlan p = grid_plan(e, input, node_operand(e, grid), mode, padding, align);
    if (grid_is_empty(&p)) {
        value = grid_zeros(e, size, input->ndim, input->dtype);
    } else {
        value = emit_reshape(e, grid_gather(&p, node_operand(e, input), none), size, input->ndim);
    }
    value = value ? emit_op(e, OP__grid_sampler, 6, input, grid, value, (int64_t)mode,
                            (int64_t)padding, (int)align)
                  : NULL;
    return node_answer(e, value, out, nout);
}

/* ---- derivatives: the last three parameters are the modes ---- */

static GridPlan plan_of(const Grad *g, const Tensor *input, Tensor *grid) {
    const Arg *mode = &g->call->arg[g->call->op->nparam - 3];
    return grid_plan(g->e, input, grid, (int)mode[0].i, (int)mode[1].i, mode[2].b);
}

/* A gradient as the node that PyTorch has for both, with second derivatives since 2.13. */
static Tensor *gradient_node(const Grad *g, OpId id, Tensor *grad, Tensor *input, Tensor *grid,
                             Tensor *value) {
    const Arg *mode = &g->call->arg[g->call->op->nparam - 3];
    if (!value || !(g->e->create_graph || g->e->in_program)) {
        return value;
    }
    if (g->e->create_graph && semantics_now < SEMANTICS_2_13) {
        return not_again(g, not_again(g, not_again(g, value, grad), input), grid);
    }
    return emit_op(g->e, id, 7, grad, input, grid, value, mode[0].i, mode[1].i, (int)mode[2].b);
}

static Tensor *gradient_of_input(const Grad *g, Tensor *grad, Tensor *input, Tensor *grid) {
    Emit *e = g->e;
    int none[GRID_DIMS] = {0};
    GridPlan p = plan_of(g, input, without_history(g, grid));
    Tensor *sums = grid_is_empty(&p)
                       ? grid_zeros(e, input->size, input->ndim, input->dtype)
                       : grid_scatter(&p, grid_flat(&p, without_history(g, grad)), none);
    return emit_reshape(e, sums, input->size, input->ndim);
}

static Tensor *gradient_of_grid(const Grad *g, Tensor *grad, Tensor *input, Tensor *grid) {
    GridPlan p = plan_of(g, input, without_history(g, grid));
    Tensor *values = grid_is_empty(&p) ? NULL : grid_flat(&p, without_history(g, grad));
    return values ? grid_gradient(&p, values, without_history(g, input))
                  : grid_zeros(g->e, grid->size, grid->ndim, grid->dtype);
}

void grad_grid_sampler(Grad *g) {
    Tensor *input = tensor_arg(g, 0), *grid = tensor_arg(g, 1), *grad = grad_of(g), *of[2] = {NULL};
    if (wanted(g, 0)) {
        of[0] = gradient_node(g, OP__grid_input_grad, grad, input, grid,
                              gradient_of_input(g, grad, input, grid));
        give(g, 0, of[0]);
    }
    if (wanted(g, 1)) {
        of[1] = gradient_node(g, OP__grid_grid_grad, grad, input, grid,
                              gradient_of_grid(g, grad, input, grid));
        give(g, 1, of[1]);
    }
    if (of[0] && of[1] && g->e->create_graph) {
        emit_one_node(g->e, of[0], of[1]);
    }
}

enum { GRAD_OUTPUT, INPUT, GRID };

/* The gradient of input is linear in grad, and does not depend on input. With A the gradient that
 * comes in: grad gets samples of A, grid what it would get if A were the input. */
void grad_grid_input_grad(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, GRAD_OUTPUT), *grid = tensor_arg(g, GRID), *a = grad_of(g);
    const Arg *mode = &g->call->arg[4];
    if (wanted(g, GRAD_OUTPUT)) {
        give(g, GRAD_OUTPUT,
             emit_op(e, a->ndim == 5 ? OP_grid_sampler_3d : OP_grid_sampler_2d, 5, a, grid,
                     mode[0].i, mode[1].i, (int)mode[2].b));
    }
    if (wanted(g, GRID)) {
        give(g, GRID,
             gradient_node(g, OP__grid_grid_grad, grad, a, grid,
                           gradient_of_grid(g, grad, a, grid)));
    }
}

/* Coordinate k of B, the gradient of the grid's gradient, times the slope: [N, 1, points]. */
static Tensor *tangent_of(const GridPlan *p, Tensor *b, int k) {
    int64_t size[3] = {p->batch, 1, p->points};
    return grid_scaled(p, emit_reshape(p->e, emit_select(p->e, b, -1, k), size, 3), k);
}

static Tensor *added(Emit *e, Tensor *sum, Tensor *t) { return sum && t ? emit_add(e, sum, t) : t; }

/* The gradient of the grid is a sum over channels of grad * samples by derivatives of the weights:
 * nothing of nearest elements. */
void grad_grid_grid_grad(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, GRAD_OUTPUT), *input = tensor_arg(g, INPUT),
           *grid = tensor_arg(g, GRID), *b = grad_of(g);
    GridPlan p = plan_of(g, input, grid);
    if (p.mode == GRID_NEAREST) {
        return;
    }
    if (grid_is_empty(&p)) {
        for (int k = GRAD_OUTPUT; k <= GRID; k++) {
            if (wanted(g, k)) {
                give(g, k, emit_zeros_like(e, tensor_arg(g, k)));
            }
        }
        return;
    }
    Tensor *values = grid_flat(&p, grad), *to_grad = NULL, *to_input = NULL,
           *part[GRID_DIMS] = {NULL};
    for (int k = 0; k < p.n; k++) {
        Tensor *tangent = tangent_of(&p, b, k);
        int order[GRID_DIMS] = {0};
        order[k] = 1;
        if (wanted(g, GRAD_OUTPUT)) {
            to_grad = added(e, to_grad, emit_mul(e, grid_gather(&p, input, order), tangent));
        }
        if (wanted(g, INPUT)) {
            to_input = added(e, to_input, grid_scatter(&p, emit_mul(e, values, tangent), order));
        }
        for (int j = 0; j < p.n && wanted(g, GRID); j++) {
            order[j]++;
            Tensor *t = grid_gather(&p, input, order);
            part[j] = t ? added(e, part[j], emit_mul(e, t, tangent)) : part[j];
            order[j]--;
        }
    }
    if (wanted(g, GRAD_OUTPUT)) {
        give(g, GRAD_OUTPUT, emit_reshape(e, to_grad, grad->size, grad->ndim));
    }
    if (wanted(g, INPUT)) {
        give(g, INPUT, emit_reshape(e, to_input, input->size, input->ndim));
    }
    if (wanted(g, GRID)) {
        int64_t channel = 1;
        for (int j = 0; j < p.n; j++) {
            Tensor *products = emit_mul(e, values, part[j]);
            part[j] = grid_scaled(&p, emit_sum_dims(e, products, &channel, 1, true), j);
        }
        give(g, GRID, grid_joined(&p, part));
    }
}
