import torch

def f(x):
    x.unfold(0, 3, 3).sin_()

def show(f):
    x = torch.ones(4)
    f(x)
    return x[3].item()
