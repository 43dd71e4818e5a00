import torch

def f(x0, x1):
    v0 = x1.narrow(0, 0, 0)
    v1 = v0.as_strided([1, 1], [1, 1])
    v1[()] = x0
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
