import torch

def f(x):
    v = torch.zeros(3)
    v.set_(x)
    v.mul_(2)
    return v

def show(f):
    x = torch.ones(3)
    r = f(x)
    x.zero_()
    return r.tolist()
