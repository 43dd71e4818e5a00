import torch

def f(x0):
    x0.bernoulli_()
    return x0

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([4], dtype=torch.int64).as_strided([2, 2], [1, 2], 0)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
