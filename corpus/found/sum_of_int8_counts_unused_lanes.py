import torch

def f(x):
    return (x + 3).sum(dtype=torch.int8)

def show(f):
    return f(torch.zeros(16, dtype=torch.int8)).item()
