import torch

def f(x):
    v = x.t() * 2
    return v.t(), v[:, 1:]

def show(f):
    a, b = f(torch.arange(6.0).reshape(2, 3))
    a.add_(100)
    return b.tolist()
