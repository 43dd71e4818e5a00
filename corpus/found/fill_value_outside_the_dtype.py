import torch

def f(x, i):
    return x.scatter(0, i, 300)

def show(f):
    return f(torch.ones(2, dtype=torch.int8), torch.tensor([0])).tolist()
