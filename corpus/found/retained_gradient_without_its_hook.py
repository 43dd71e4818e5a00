import torch

def f(x):
    y = x * 1
    y.register_hook(lambda g: g * 3)
    y.retain_grad()
    return y

def show(f):
    y = f(torch.ones(2, requires_grad=True))
    y.sum().backward()
    return y.grad.tolist()
