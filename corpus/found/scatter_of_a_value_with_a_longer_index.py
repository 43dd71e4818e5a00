import torch

def f(x, i):
    return x.scatter(0, i, 1.5, reduce="multiply")

def show(f):
    return f(torch.ones(1), torch.tensor([0, 0])).tolist()
