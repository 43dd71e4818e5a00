import torch

def f(a, b):
    a.fill_(-1)
    return b + 1

def show(f):
    a, w = torch.arange(4.), torch.ones(4, requires_grad=True)
    loss = (a * w).sum()
    f(a, a.detach())
    loss.backward()
    return w.grad.tolist()
