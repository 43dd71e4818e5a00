import torch

def f(x0):
    v0 = x0.bernoulli()
    return v0

def run(f):
    x0 = torch.tensor(0.5, dtype=torch.float64)
    torch.manual_seed(0)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
