import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0):
        y0 = a0.sign()
        z0 = a0.mul(3)
        ctx.mark_non_differentiable(z0)
        ctx.save_for_backward(y0, z0)
        return y0, z0
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g0, h0):
        [y0, z0] = ctx.saved_tensors
        p0 = h0.mul(y0)
        return p0

class _fn_f1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0):
        y0 = a0.sign()
        z0 = a0.mul(3)
        ctx.save_for_backward(y0)
        return y0, z0
    @staticmethod
    def backward(ctx, g0, h0):
        [y0] = ctx.saved_tensors
        p0 = h0.mul(y0)
        return p0

def f(x0, x1, x2):
    v1 = x1.log2()
    v2, v3 = _fn_f0.apply(v1)
    v4, v5 = _fn_f1.apply(x1)
    (v6,) = torch.ops.aten.atleast_1d.Sequence([v4])
    v7 = v6.detach()
    v7[:0] = v3
    v8 = torch.ops.aten.hardswish.default(v7)
    v9 = torch.ops.aten.hardswish.default(v7)
    v10 = v9.masked_fill_(x2, x1)
    v9.masked_fill_(x2, x1)
    v11 = v10.squeeze(0)
    v12, v13, v14 = torch.autograd.grad([v11], [x1, v9, v2], grad_outputs=[x1], retain_graph=True, create_graph=True, allow_unused=True)
    if v12 is None: del v12
    if v13 is None: del v13
    if v14 is None: del v14
    return v8, v9, v10, v9

def run(f):
    x0 = torch.tensor([0.39990234375, 1.099609375, 0.199951171875, 1.5, -0.39990234375, -0.7998046875, -1.599609375, -1.5, 0.7998046875, 0.199951171875, -0.0999755859375, -0.199951171875, 1.400390625, 1.099609375, -1.0, -0.199951171875, 0.89990234375, 1.099609375, -0.300048828125, -0.7998046875, 0.89990234375, 0.39990234375, -0.0999755859375, -0.7998046875, 0.39990234375, -0.89990234375, 1.2998046875, 0.0, -1.2001953125, -1.400390625, 1.099609375, 1.400390625, 0.39990234375, -1.099609375, -0.7998046875, -0.39990234375, -1.0, -1.0, 0.7998046875, 0.39990234375, -0.5, -1.5, -1.599609375, -0.0999755859375, -0.7998046875, -0.0999755859375, 1.5, 0.0], dtype=torch.float16).as_strided([4, 3, 4], [12, 1, 3], 0)
    x1 = torch.tensor(-2.0, dtype=torch.float16).requires_grad_()
    x2 = torch.tensor([False])
    r = f(x0, x1, x2)
    torch.autograd.backward([r[1], r[2], r[3]], [torch.tensor([-1.75], dtype=torch.float16), torch.tensor([1.5], dtype=torch.float16), torch.tensor([-0.25], dtype=torch.float16)])
    return r[0].requires_grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
