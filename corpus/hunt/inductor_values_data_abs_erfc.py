import torch

def f(x0):
    v0 = x0.abs()
    v1 = v0.erfc()
    return v1

def run(f):
    x0 = torch.tensor([[-1, 5, 0, 5], [7, -1, -1, 7], [-2, -2, 0, 5], [-2, -32768, 7, -1]], dtype=torch.int16)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
