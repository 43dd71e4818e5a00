import torch

def f(x0, x1):
    v0 = torch.conv_transpose1d(x0, x1, padding=[1])
    return None

def run(f):
    x0 = torch.zeros([0, 2, 1])
    x1 = torch.zeros([2, 1, 2])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
