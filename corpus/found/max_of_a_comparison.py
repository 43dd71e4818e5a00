import torch

def f(x):
    return (x == 3).max()

def show(f):
    return f(torch.zeros(50, dtype=torch.int32)).item()
