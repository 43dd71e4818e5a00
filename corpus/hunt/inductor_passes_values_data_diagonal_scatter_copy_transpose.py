import torch

def f(x0, x1):
    v0 = x0.diagonal_scatter(x1)
    x0.copy_(x1)
    v1 = v0.transpose(0, 1)
    return v1

def run(f):
    x0 = torch.zeros([2, 2], dtype=torch.int64)
    x1 = torch.ones([2], dtype=torch.int64)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
