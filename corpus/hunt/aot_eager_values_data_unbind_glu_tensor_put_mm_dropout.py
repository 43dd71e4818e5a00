import torch

def f(x0):
    v0 = x0.t()
    v1 = torch.dropout_(v0, 0.5, True)
    return v0

def run(f):
    torch.manual_seed(0)
    x0 = torch.ones([2, 2])
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
