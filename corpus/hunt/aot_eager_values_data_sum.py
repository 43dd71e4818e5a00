import torch

def f(x0, x1):
    torch.sum(x1, [0], out=x0)
    return x0

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    x1 = torch.tensor([[0.0], [0.375], [-2.0]])
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
