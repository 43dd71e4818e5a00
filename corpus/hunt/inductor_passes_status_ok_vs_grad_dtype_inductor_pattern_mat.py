import torch

def f(x0, x1, x2):
    v0 = x0.addmm(x1, x2)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.bool)
    x1 = torch.zeros([2, 1], dtype=torch.bool)
    x2 = torch.zeros([1, 0], dtype=torch.bool)
    r = [f(x0, x1, x2)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
