import torch

def f(x0, x1):
    v0 = x0.expand([2])
    v1 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v2 = v0.index_copy_(0, v1, x1)
    return v2

def run(f):
    x0 = torch.tensor([0.0, float('-inf')])
    x1 = torch.zeros([2])
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
