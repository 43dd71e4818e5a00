import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2):
    v1 = x0.unsqueeze(-1)
    v2 = v1.xlogy(x1)
    v3 = x0.permute([-2, -1])
    v4 = x1.fmax(x1)
    v5 = v4.heaviside(x2)
    v6 = torch.ops.aten.rsub.Scalar(v2, -1)
    v7 = v4.count_nonzero([-3])
    v8 = v6.prod(0)
    v9 = x2.div(2)
    v10 = torch.ops.aten.slice.Tensor(v6, dim=2, end=2, step=2)
    v11 = torch.randint_like(v10, 4, 11)
    v12 = torch.randn([3, 5], requires_grad=True)
    v13 = v10.clamp_max(v1)
    return v12, v13, v11, v9, v8, v7, v5

def run(f):
    torch.manual_seed(24574)
    x0 = torch.tensor([1.375, 0.875, 1.875, -1.375, 1.5, -0.75], dtype=torch.float64).as_strided([3, 2], [1, 3], 0)
    x1 = torch.tensor([10, -3]).as_strided([3, 2, 1], [0, 1, 1], 0)
    x2 = torch.tensor([-13, 14]).as_strided([3, 2, 1], [0, 1, 1], 0)
    r = f(x0, x1, x2)
    torch.autograd.backward([r[0]], [torch.tensor([[-1.625, -1.125, -2.0, 1.25, -0.125], [0.75, -0.625, 2.0, -1.125, -1.125], [-0.125, 2.0, 1.0, 1.75, -2.0]])])
    return r[2].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
