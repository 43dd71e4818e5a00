import torch

def f(x0, x1):
    v0 = x0.as_strided_scatter(x1, [1, 1], [1, 1], storage_offset=0)
    return v0

def run(f):
    x0 = torch.zeros([4]).as_strided([], [], 3)
    x1 = torch.ones([1, 1])
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
