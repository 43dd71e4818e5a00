import torch

def f(x0, x1):
    v0 = x1.copysign(x0)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([4], dtype=torch.int64).as_strided([2, 2], [1, 2], 0)
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
