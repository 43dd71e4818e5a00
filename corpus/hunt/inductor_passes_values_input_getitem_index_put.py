import torch

def f(x0, x1, x2):
    v0 = x0[2:, 1:3]
    v1 = torch.ops.aten.index_put.default(v0, [x2], x1)
    return v1

def run(f):
    x0 = torch.zeros([4, 2])
    x1 = torch.ones([])
    x2 = torch.zeros([], dtype=torch.int64)
    r = [f(x0, x1, x2)]
    return x0

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
