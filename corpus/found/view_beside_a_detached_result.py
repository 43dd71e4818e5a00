import torch

def f(x):
    v = x * 2
    return v.detach(), v.t()

def show(f):
    x = torch.ones(2, 3, requires_grad=True)
    _, v = f(x)
    v.sum().backward()
    return str(x.grad)
