import torch

def f(x0, x1, x2, x3):
    v0 = torch.ops.aten.instance_norm.default(x3, x0, None, x1, x2, True, 0.5, 0.125, False)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1])
    x2 = torch.zeros([1])
    x3 = torch.zeros([1, 1])
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
