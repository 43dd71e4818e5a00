import torch

def f(x, w):
    d = x.detach()
    d.fill_(w)
    return d.view(2)

def show(f):
    w = torch.tensor(3.0, requires_grad=True)
    f(torch.zeros(2), w).sum().backward()
    return w.grad
