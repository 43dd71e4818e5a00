import torch

def f(x0):
    v0 = torch.where(x0, 1.0, 1)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.uint8)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
