import torch

def f(a, b):
    a.add_(1)
    return b[:2]

def show(f):
    base = torch.arange(6.0)
    return f(base[:4].view(2, 2), base[2:]).tolist()
