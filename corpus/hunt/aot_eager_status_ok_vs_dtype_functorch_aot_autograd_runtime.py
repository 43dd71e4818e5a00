import torch

def f(x0):
    v0 = torch.dropout(x0, 1.0, True)
    return v0

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([], dtype=torch.int64)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
