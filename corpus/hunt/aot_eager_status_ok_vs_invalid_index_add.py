import torch

def _fn_h0(g0):
    p0 = torch.ops.aten.alias.default(g0)
    return None

class _fn_f1(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.sub(b0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        p0 = g0.neg()
        q0 = g0.neg()
        return p0, q0

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x2.abs()
    v2 = v1.add(3)
    v3 = v2.permute([-3, 1, 2])
    _hook0_x2 = x2.register_hook(_fn_h0)
    if v2.requires_grad:
        v6 = x0.transpose(0, 0)
        v7 = v6.index_add(-1, x4, x5)
    else:
        v4 = v2.permute([0, -2, 2])
        v5 = v2.permute([1, 0, 2])
    v8 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v9 = x5.index_add(0, v8, v6)
    v3[[0, 1, 1], [1, 0, -2], x6] = 2.0
    v10 = x5.sqrt()
    v11 = _fn_f1.apply(v9, x5)
    v12 = v9.mean()
    return v10

def run(f):
    x0 = torch.tensor([1.0625, -0.494140625, -1.359375, 1.9296875, 0.9140625, 1.1796875, -0.21484375], dtype=torch.bfloat16).as_strided([2], [1], 5).detach().requires_grad_()
    x1 = x0.detach().as_strided([], [], 6).detach()
    x2 = torch.tensor([0.375, -1.625, 0.875, -1.75, 1.875, 1.375, 1.5, 1.125, 2.0, -1.125, 1.375, 0.5, -1.625, 2.0, -1.75, 2.0, -2.0, 0.125, 0.125, 0.875, -0.5, 0.375, -1.25], dtype=torch.bfloat16).as_strided([3, 2, 3], [6, 3, 1], 5).detach().requires_grad_()
    x3 = torch.tensor(1.125, dtype=torch.bfloat16).requires_grad_()
    x4 = torch.tensor([1])
    x5 = torch.tensor([0.875], dtype=torch.bfloat16).requires_grad_()
    x6 = torch.tensor([1, 2, 0])
    r = [f(x0, x1, x2, x3, x4, x5, x6)]
    torch.autograd.backward([r[0]], [torch.tensor([-1.7109375], dtype=torch.bfloat16)])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
