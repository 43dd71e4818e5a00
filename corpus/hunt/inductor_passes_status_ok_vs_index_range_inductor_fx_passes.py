import torch

def f(x0):
    x0 = x0.softmax(0)
    v0 = x0.softmax(-1)
    return v0

def run(f):
    x0 = torch.zeros([])
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
