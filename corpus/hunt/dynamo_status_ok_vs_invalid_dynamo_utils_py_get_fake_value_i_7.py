import torch

def f(x0, x1):
    v0 = x1.matmul(x0)
    v0.detach_()
    return None

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.int64)
    x1 = torch.zeros([1], dtype=torch.int64)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
