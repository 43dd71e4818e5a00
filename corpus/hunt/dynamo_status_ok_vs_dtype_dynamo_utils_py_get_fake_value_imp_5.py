import torch

def f(x0):
    v0 = torch.randn_like(x0, dtype=torch.int64)
    return None

def run(f):
    x0 = torch.zeros([0])
    torch.manual_seed(0)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
