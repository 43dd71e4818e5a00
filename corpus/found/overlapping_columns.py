import torch

def f(x, y):
    y.mul_(3)
    x.add_(1)

def show(f):
    base = torch.ones(3, 8)
    f(base[:, 0:4], base[1:2, 2:6])
    return base[1].tolist()
