import torch

def f(x0, x1):
    v0 = x1.neg()
    torch.ops.aten.selu_.default(x0)
    return v0

def run(f):
    x0 = torch.zeros([1]).as_strided([], [], 0)
    x1 = x0.detach().as_strided([], [], 0)
    r = [f(x0, x1)]
    x0 = torch.zeros([])
    x1 = torch.arange(9.0).as_strided([], [], 8)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
