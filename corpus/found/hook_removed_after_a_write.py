import torch

def f(x):
    y = x * 2
    handle = y.register_hook(lambda g: g + 1)
    y.mul_(3)
    handle.remove()
    return y

def show(f):
    x = torch.ones(2, requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()
