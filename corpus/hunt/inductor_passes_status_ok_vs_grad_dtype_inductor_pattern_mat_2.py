import torch

def f(x0, x1):
    v0 = x1.matmul(x0)
    return v0

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.bool)
    x1 = torch.zeros([0, 1], dtype=torch.bool)
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
