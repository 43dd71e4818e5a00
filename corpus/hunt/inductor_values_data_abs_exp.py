import torch

def f(x0):
    v0 = x0.abs()
    v1 = v0.exp()
    return v1

def run(f):
    x0 = torch.tensor([[[100, 7], [2, 7]], [[-2, 7], [-32768, -2]]], dtype=torch.int16)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
