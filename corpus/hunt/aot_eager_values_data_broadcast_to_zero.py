import torch

def f(x0):
    v0 = x0.broadcast_to([1, 1])
    v0.zero_()
    return x0

def run(f):
    x0 = torch.tensor(float('-inf'))
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
