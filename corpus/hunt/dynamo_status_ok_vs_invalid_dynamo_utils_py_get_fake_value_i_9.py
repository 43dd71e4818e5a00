import torch

def f(x0, x1, x2):
    v0 = x2.index_add(0, x1, x0, alpha=0.0)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
