import torch

def _fn_h0(g0):
    with torch.enable_grad():
        p0 = g0.sum()
    return p0

def f(x0, x1, x2, v5, v4, v3, v1):
    _hook0_x0 = x0.register_hook(_fn_h0)
    v2 = x0.floor()
    return v4, v3, v2

def run(f):
    x0 = torch.tensor(1.6464756727218628).requires_grad_()
    x1 = torch.tensor([-1.375, 0.5, 0.125, -0.625, -0.875, -0.125, -1.625, 1.875, 0.875, -0.875, 1.625, 1.5, -0.25]).as_strided([3, 3], [3, 1], 4).detach()
    x2 = x1.detach().as_strided([3, 3], [3, 1], 4).detach().requires_grad_()
    v5 = torch.tensor(0.5).requires_grad_()
    v4 = torch.tensor([[True, True], [False, True], [True, False]])
    v3 = torch.tensor(0.5).requires_grad_()
    v1 = torch.tensor([[0.5, 0.375], [-2.0, 1.625], [0.25, 0.875]])
    r = f(x0, x1, x2, v5, v4, v3, v1)
    v4, v3, v2, = r
    torch.autograd.backward([v2], create_graph=True)
    torch.autograd.backward([r[1], r[2]], [torch.tensor(0.0), torch.tensor(-1.75)])
    return x0.grad.requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
