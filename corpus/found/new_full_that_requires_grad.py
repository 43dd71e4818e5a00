import torch

def f(x):
    return x.new_full([2], 1.0, requires_grad=True)

def show(f):
    return f(torch.ones(2)).requires_grad
