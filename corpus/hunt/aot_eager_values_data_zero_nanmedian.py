import torch

def f(x0, x1):
    v0 = x0.zero_()
    v1, v2 = x1.nanmedian(0)
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1)]
    x0 = torch.ones([1]).as_strided([], [], 0)
    x1 = x0.detach().as_strided([], [], 0).detach().requires_grad_()
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
