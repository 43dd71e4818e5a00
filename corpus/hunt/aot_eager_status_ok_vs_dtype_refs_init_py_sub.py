import torch

def f(x0, x1):
    v0 = x0.expand([1])
    v0.copy_(x1)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.bool)
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
