import torch

def f(x, v):
    s = v * 2
    x.copy_(s)
    return s

def show(f):
    x, v = torch.zeros(1), torch.ones(1, requires_grad=True)
    f(x, v).backward()
    f(x, v).backward()
    return v.grad.tolist()
