import torch
def f(x):
    y = x.mul_(2)
    y.t_()
    return x.sum(0) / x.shape[0]
def show(f):
    return f(torch.ones(2, 3)).tolist()
