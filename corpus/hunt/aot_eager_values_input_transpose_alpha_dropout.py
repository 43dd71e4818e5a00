import torch

def f(x0):
    v0 = x0.transpose(0, 2)
    torch.alpha_dropout_(v0, 0.5, True)
    return None

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([1, 2, 2])
    r = f(x0)
    return x0

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
