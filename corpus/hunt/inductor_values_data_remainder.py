import torch

def f(x0):
    x0.remainder_(float('inf'))
    return x0

def run(f):
    x0 = torch.zeros([4])
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
