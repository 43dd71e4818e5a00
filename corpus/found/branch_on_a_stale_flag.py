import torch

def f(x):
    m = torch.zeros(2)
    m.view(2).add_(x)
    return m * 2 if m.requires_grad else m * -1

def show(f):
    return f(torch.ones(2, requires_grad=True)).tolist()
