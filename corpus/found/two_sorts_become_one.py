import torch

def f(x):
    return x.sort().values, x.sort().values

def show(f):
    a, b = f(torch.tensor([3.0, 1.0, 2.0], requires_grad=True))
    a.detach().zero_()
    return b.tolist()
