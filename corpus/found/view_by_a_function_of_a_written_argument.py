import torch

class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, a, b: a.view(-1))
    backward = staticmethod(lambda ctx, g: (None, g))

def f(x, y):
    x.mul_(2)
    return F.apply(x, y)

def show(f):
    x = torch.ones(2)
    r = f(x, torch.ones(2, requires_grad=True))
    x.zero_()
    return r.tolist()
