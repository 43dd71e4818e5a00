import torch

def f(x0):
    v0 = x0.norm(float('inf'), [-3, 2])
    return v0

def run(f):
    x0 = torch.zeros([1, 0, 1])
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
