import torch

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x1.abs()
    v2 = v1.add(2)
    v3 = v2.fmax(x3)
    v4 = v3.kron(x4)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v4.clamp_min_(-1)
    v5 = x3.fmax(x1)
    v6 = x3.fmax(x1)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v7, v8 = torch.autograd.grad([v4], [x4, v4], grad_outputs=[v4], retain_graph=True)
    return v5, v6, x4

def run(f):
    x0 = torch.tensor([float('nan'), 3.4028234663852886e+38, float('-inf'), -0.0, 0.0, float('inf'), -2.0, -2.0, float('nan'), -0.0, 1.0, 1.0, -1.0, 1.1754943508222875e-38, -1.0, 1.0, 1.0, -0.0, 3.4028234663852886e+38, 1.1920928955078125e-07, 3.4028234663852886e+38]).as_strided([3, 7], [1, 3], 0).detach().requires_grad_()
    x1 = torch.tensor([[-1.0, -1.625, -1.25]])
    x2 = torch.tensor([-0.0, float('-inf'), float('-inf'), 3.4028234663852886e+38, -2.0, -0.0, -0.0, -0.0, float('inf'), 1.1754943508222875e-38, float('inf'), 3.4028234663852886e+38, float('-inf'), float('-inf')]).as_strided([3, 4], [4, 1], 2).detach().requires_grad_()
    x3 = torch.tensor([[-0.375, 1.75, 1.625]])
    x4 = torch.tensor([-1.375, 0.75, -1.75, -0.75, -1.5, 1.375, 0.5, 0.5, 1.125, 0.0, -1.375]).as_strided([3, 3], [3, 1], 2).detach().requires_grad_()
    x5 = torch.tensor([1.1920928955078125e-07, 0.0, 1.0, -0.0, 1.0, 0.0, 1.1920928955078125e-07, -2.0, -1.0, float('-inf'), -0.0, -2.0, -2.0, float('inf'), 1.1754943508222875e-38, 3.4028234663852886e+38, 1.0, float('nan'), 1.1754943508222875e-38, -0.0, 1.1920928955078125e-07, 1.0, 1.0, float('-inf'), 0.0, -2.0, -0.0, 0.5, 1.0, -1.0, -2.0, 3.4028234663852886e+38, float('-inf'), 1.1920928955078125e-07, -1.0, 3.4028234663852886e+38, -2.0, 1.0, 1.0, 3.4028234663852886e+38, -2.0, -2.0, 1.1920928955078125e-07, float('-inf'), float('-inf'), 3.4028234663852886e+38, 0.5, float('nan'), float('inf'), float('inf'), float('inf'), -2.0, 0.0, 1.1754943508222875e-38, 1.1754943508222875e-38, float('nan'), -1.0, 1.0, 1.1754943508222875e-38, 1.1920928955078125e-07, float('inf'), 0.0, 1.1754943508222875e-38, float('-inf'), float('nan'), -0.0, float('inf'), 0.0, float('nan'), float('nan'), -2.0, -2.0]).as_strided([1, 9, 2, 4], [72, 1, 36, 9], 0).detach().requires_grad_()
    x6 = torch.tensor([[1.0, 0.375, 0.75]]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6)
    v5, v6, x4, = r
    v9 = torch.ops.aten.upsample_nearest2d.default(x5, [1, 7])
    v10 = x6.clone()
    v6.grad = v10
    v11, v12, v13 = torch.autograd.grad([v9, v9], [x0, x5, x0], grad_outputs=[v9, v9], retain_graph=True, allow_unused=True)
    if v11 is None: del v11
    if v12 is None: del v12
    if v13 is None: del v13
    torch.autograd.backward([r[2]], [torch.tensor([[0.125, 0.375, 1.375], [1.0, 0.0, -0.5], [-0.75, -0.75, -1.375]])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
