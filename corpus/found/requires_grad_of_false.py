import torch
def f(x):
    w = torch.zeros(2).requires_grad_()
    w.requires_grad_(False)
    return w + x.detach()
def show(f):
    return f(torch.ones(2, requires_grad=True)).requires_grad
