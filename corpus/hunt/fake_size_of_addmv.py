import torch

def f(x0, x1, x2, x3):
    v0 = x1.addmv(x0, x3)
    v1 = v0.addmv(x2, x3)
    return v1

def run(f):
    x0 = torch.zeros([2, 0], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([1, 0], dtype=torch.int64)
    x3 = torch.zeros([0], dtype=torch.int64)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
