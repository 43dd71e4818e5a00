import torch

def f(x, s, i):
    return x.view(3, 1).scatter_(1, i, s, reduce="add")

def show(f):
    s = torch.ones(3, 2, requires_grad=True)
    y = f(torch.zeros(3), s, torch.zeros(3, 2, dtype=torch.int64))
    y.sum().backward()
    return y.requires_grad, s.grad
