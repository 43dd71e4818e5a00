import torch

def f(x, w):
    with torch.enable_grad():
        x.add_(w)

def show(f):
    x, w = torch.zeros(1), torch.ones(1, requires_grad=True)
    with torch.no_grad():
        f(x, w)
    return x.requires_grad
