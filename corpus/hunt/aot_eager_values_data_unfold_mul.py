import torch

def f(x0):
    v0 = x0.unfold(0, 0, 1)
    torch.mul(v0, v0, out=v0)
    return x0

def run(f):
    x0 = torch.ones([1], dtype=torch.int64)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
