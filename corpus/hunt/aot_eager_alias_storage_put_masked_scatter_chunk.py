import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        return a0
    @staticmethod
    def backward(ctx, g0):
        p0 = g0.neg()
        if ctx.needs_input_grad[1]:
            q0 = g0.mul(2)
        else:
            q0 = g0.clone()
        return p0, q0

class _fn_f1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.sin()
        ctx.save_for_backward(b0, y0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [b0, y0] = ctx.saved_tensors
        p0 = g0.neg()
        return p0, None

def f(x0, x1, x2, x3, x4, x5, x6, x7, v9, v10, v4, v3, v1):
    v1.put_(x1, x2, accumulate=False)
    v6 = _fn_f1.apply(v1, v1)
    v4.masked_scatter_(x4, x5)
    v7, v8 = v4.chunk(2, dim=-1)
    return v3, v4, v7, v9, v10, v8

def run(f):
    x0 = torch.tensor([[[-15, 12], [1, -15], [10, 9], [9, 6]], [[0, 9], [11, 3], [13, 10], [1, 9]]], dtype=torch.int8)
    x1 = torch.tensor([0, 1, 2])
    x2 = torch.tensor([0.10000000149011612, -0.8999999761581421, 0.10000000149011612]).requires_grad_()
    x3 = torch.tensor([[[0, 4], [2, 6], [3, 0], [6, 2]], [[3, 0], [0, 5], [2, 4], [0, 5]]], dtype=torch.int8)
    x4 = torch.tensor([False, False, True]).as_strided([3], [1], 0)
    x5 = torch.tensor([0.125, -0.75, 0.875]).requires_grad_()
    x6 = torch.tensor([[6, -13, -16, -10], [8, -9, 6, -6]], dtype=torch.int8)
    x7 = torch.tensor([[1, 1, 1, 1], [0, 0, 0, 0]], dtype=torch.int8)
    v9 = torch.tensor([0.5, 0.375]).requires_grad_()
    v10 = torch.tensor([0.5]).requires_grad_()
    v4 = torch.tensor([0.5, 0.375, -2.0])
    v3 = torch.tensor([0.5, 0.375, -2.0])
    v1 = torch.tensor([[[0.5, 0.375], [-2.0, 1.625], [0.25, 0.875], [-2.0, -1.625]], [[-2.0, -0.375], [0.25, 0.0], [0.875, -1.875], [-0.75, 2.0]]])
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, v9, v10, v4, v3, v1)
    torch.autograd.backward([r[1], r[2], r[3], r[4], r[5]], [torch.tensor([-0.5, 1.625, 1.125]), torch.tensor([0.25, 1.625]), torch.tensor([1.75, -0.125]), torch.tensor([-0.75]), torch.tensor([0.75])])
    return [t.untyped_storage().data_ptr() == r[2].untyped_storage().data_ptr() for t in [x0, x1, x2, x3, x4, x5, x6, x7, v9, v10, v4, v3, v1, r[0], r[1]]]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
