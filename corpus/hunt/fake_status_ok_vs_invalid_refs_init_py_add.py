import torch

def f(x0):
    v0 = x0.add(-9223372036854775808, alpha=2)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
