import torch

def f(x0, x1):
    v0 = torch.ops.aten.relu6_.default(x1)
    with torch.no_grad():
        v1 = x0.clamp_max_(1)
    return v0

def run(f):
    x0 = torch.zeros([2]).requires_grad_()
    x1 = torch.zeros([2])
    r = [f(x0, x1)]
    x0 = torch.tensor([1.625, -1.125]).as_strided([2], [1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([2], [1], 0)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
