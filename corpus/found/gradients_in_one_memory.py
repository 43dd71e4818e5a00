import torch

def f(x, w):
    return (x.view(6) + w) * 3

def show(f):
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(6, requires_grad=True)
    for _ in range(3):
        f(x, w).sum().backward()
    return str(w.grad)
