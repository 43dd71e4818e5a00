import torch

def f(x0, x1, x2):
    v0 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v1 = torch.ops.aten.index_put.default(x0, [None, x1, v0], x2)
    x0.fill_(1)
    return v1

def run(f):
    x0 = torch.zeros([1, 1, 1], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = [f(x0, x1, x2)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
