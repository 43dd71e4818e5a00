import torch

def f(x0, x1):
    v0 = x0.diagonal_scatter(x1)
    x0.fill_(1)
    return v0

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.int64)
    x1 = torch.zeros([1], dtype=torch.int64)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
