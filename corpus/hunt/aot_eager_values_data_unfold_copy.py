import torch

def f(x0, x1):
    v0 = x1.unfold(0, 0, 1)
    v0.copy_(x0)
    return x1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.ones([1])
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
