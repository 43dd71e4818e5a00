import torch

def f(x, y, z):
    return x.addcmul_(y, z, value=0.5)

def show(f):
    return f(torch.tensor(0), torch.tensor(16), torch.tensor(1)).tolist()
