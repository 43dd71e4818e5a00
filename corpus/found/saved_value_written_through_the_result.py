import torch

def f(x):
    return x.exp().view(-1)

def show(f):
    x = torch.ones(1, requires_grad=True)
    r = f(x)
    r.mul_(-1.0)
    r.sum().backward()
    return x.grad.tolist()
