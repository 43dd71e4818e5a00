import torch

def f(x0, x1):
    v0 = x1.min()
    x0[()] = v0
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int8)
    x1 = torch.ones([6, 3], dtype=torch.int8)
    r = f(x0, x1)
    return x0

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
