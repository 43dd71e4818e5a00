import torch

def f(x):
    return torch.ops.aten.swapaxes_.default(x, 0, -2) + 1

def show(f):
    return [f(torch.ones(1, 1, n, 1)).shape for n in (1, 2)]
