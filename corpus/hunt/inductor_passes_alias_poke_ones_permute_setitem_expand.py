import torch

def f(x0):
    v0 = torch.ones([2, 2, 1])
    v1 = v0.permute([1, 2, 0])
    v1[2:2] = 1
    v2 = v1.expand([2, 2, -1])
    return x0, v2

def run(f):
    x0 = torch.zeros([2])
    r = f(x0)
    r[0].detach().fill_(1)
    r[1].detach().fill_(2)
    return r[1].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
