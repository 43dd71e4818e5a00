import torch

def f(x0, x1):
    v0 = x0.matmul(x1)
    return None

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.int64)
    x1 = torch.zeros([0, 1, 1], dtype=torch.int32)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
