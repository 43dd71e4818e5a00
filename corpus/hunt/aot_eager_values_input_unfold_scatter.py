import torch

def f(x0, x1):
    v0 = x0.unfold(0, 1, 2)
    v1 = v0.scatter_(0, x1, 1.0, reduce='multiply')
    return None

def run(f):
    x0 = torch.ones([2])
    x1 = torch.zeros([1, 1], dtype=torch.int64)
    r = f(x0, x1)
    return x0

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
