import torch

def f(x):
    x.as_strided([1], [1], 0).zero_()

def show(f):
    base = torch.tensor([7, 8])
    f(base[1:])
    return base.tolist()
