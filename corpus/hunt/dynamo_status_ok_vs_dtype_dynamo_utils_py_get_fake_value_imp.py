import torch

def f(x0):
    x0.normal_()
    return None

def run(f):
    x0 = torch.zeros([0], dtype=torch.int64)
    torch.manual_seed(0)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
