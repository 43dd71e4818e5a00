import torch

def f(x, s):
    y = x.select_scatter(s, 0, 0)
    x.fill_(5)
    return y

def show(f):
    return f(torch.zeros(2, 2), torch.ones(2)).tolist()
