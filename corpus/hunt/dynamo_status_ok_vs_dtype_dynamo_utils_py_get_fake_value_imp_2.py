import torch

def f(x0):
    v0 = torch.ops.aten.group_norm.default(x0, 1)
    return None

def run(f):
    x0 = torch.zeros([0, 1], dtype=torch.int64)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
