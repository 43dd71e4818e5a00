import torch

def f(x0):
    v0 = x0.broadcast_to([2])
    v0.fill_(1)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    r = f(x0)
    return x0

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
