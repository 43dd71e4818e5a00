import torch

def f(x):
    y = x * 1
    v = y.view_as(y)
    v.mul_(3)
    v.register_hook(lambda g: g * 2)
    return y, v

def show(f):
    x = torch.ones(2, requires_grad=True)
    y, v = f(x)
    (y.sum() + v.sum()).backward()
    return x.grad.tolist()
