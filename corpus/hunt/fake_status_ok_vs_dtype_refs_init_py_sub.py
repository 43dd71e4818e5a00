import torch

def f(x0):
    v0 = x0.softmax(0)
    return None

def run(f):
    x0 = torch.zeros([0], dtype=torch.bool)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
