import torch

def f(x):
    v = x.as_strided_scatter(torch.ones(1), [1], [1], 0)
    v.add_(1)
    return v.as_strided([3], [1], 3) * 1

def show(f):
    return f(torch.arange(18.0).as_strided([3, 3], [6, 1], 0)).tolist()
