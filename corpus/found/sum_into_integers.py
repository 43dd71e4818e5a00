import torch
def f(x, out):
    torch.sum(x, [0], out=out)
def show(f):
    f(torch.tensor([0.5, 0.5]), out := torch.zeros([], dtype=torch.int64))
    return out.item()
