import torch

def f(x):
    x.expand(4).fill_(3)
    return x + 1

def show(f):
    return f(torch.zeros(1)).tolist()
