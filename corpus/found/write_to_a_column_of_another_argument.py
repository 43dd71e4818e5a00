import torch

def f(x, y):
    y.add_(1)
    return x.clone()

def show(f):
    x = torch.zeros(4, 2)
    return f(x, x[2:, 1:]).tolist()
