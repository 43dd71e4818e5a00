import torch

def f(x):
    v = x * 1
    v.as_strided_([2, 2], [1, 2])
    v.as_strided_([3], [1], 2)
    v[2] = 1
    return v

def show(f):
    return f(torch.zeros(12)).tolist()
