import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0):
        y0 = a0.round()
        ctx.save_for_backward(a0)
        return y0
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g0):
        [a0] = ctx.saved_tensors
        p0 = g0.neg()
        return p0

def f(x0, x1, x2, x3):
    if x1.grad_fn is not None:
        v2 = x1.max(x1)
        v1 = x1.detach()
    else:
        v3 = x1.detach()
        v1 = v3.add(2)
    v4 = torch.arange(2, dtype=torch.float32)
    v5 = x0.max(v4)
    v5.retain_grad()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v6 = _fn_f0.apply(v1)
    torch.dropout_(v5, 1.0, True)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v7, v8, v9 = torch._foreach_exp([v1, x2, x3])
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v9.retain_grad()
    v10, v11, v12 = torch._foreach_exp([v4, v6, v9])
    return v12, v11, v10, v8, v7

def run(f):
    torch.manual_seed(19466)
    x0 = torch.tensor([-1.375, 0.75, 0.625, -0.25, -1.25, 0.625, 0.625, -2.0, 0.625, -1.0, 0.625, 0.75, -2.0, -0.75, -1.125, -0.75, 0.125]).as_strided([2, 4, 2], [8, 2, 1], 1).detach().requires_grad_()
    x1 = torch.tensor([-0.5]).as_strided([2], [0], 0).detach().requires_grad_()
    x2 = torch.tensor([-1.75, 0.5]).requires_grad_()
    x3 = torch.tensor([-1.0, 0.375]).as_strided([2], [1], 0).detach().requires_grad_()
    r = f(x0, x1, x2, x3)
    torch.autograd.backward([r[0], r[1], r[2], r[3], r[4]], [torch.tensor([-2.0, 1.625]), torch.tensor([0.375, -0.25]), torch.tensor([-1.25, 0.875]), torch.tensor([0.375, -1.5]), torch.tensor([1.875, 0.125])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
