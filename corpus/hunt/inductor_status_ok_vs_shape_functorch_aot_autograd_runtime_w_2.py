import torch

def f(x0):
    v0 = torch.tensor([0, 0], dtype=torch.int64).reshape([2, 1]).clone()
    x0.scatter_(0, v0, 1, reduce='add')
    return v0

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.int64)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
