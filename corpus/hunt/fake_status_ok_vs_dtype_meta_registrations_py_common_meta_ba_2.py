import torch

def f(x0, x1):
    v0 = x1.matmul(x0)
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1])
    x1 = torch.zeros([0, 1], dtype=torch.int64)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
