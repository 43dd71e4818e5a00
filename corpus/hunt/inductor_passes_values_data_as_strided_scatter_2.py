import torch

def f(x0):
    v0 = x0.as_strided_scatter(x0, [3], [1])
    return v0

def run(f):
    x0 = torch.arange(5.0).as_strided([3], [2], 0)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
