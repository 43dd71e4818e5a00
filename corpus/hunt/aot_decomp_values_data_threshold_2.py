import torch

def f(x0):
    v0 = torch.ops.aten.threshold.default(x0, -0.75, 1)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
