import torch

def f(x0, x1):
    x0[:, -61] = x1
    return None

def run(f):
    x0 = torch.zeros([1, 61], dtype=torch.int64)
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
