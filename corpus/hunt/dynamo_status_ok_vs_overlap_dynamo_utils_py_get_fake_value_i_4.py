import torch

def f(x0, x1, x2):
    v0 = torch.amin(x1, dim=[0], out=x0)
    v1 = torch.alpha_dropout(x2, 0.0, True)
    return None

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64).as_strided([2, 1], [0, 1], 0)
    x1 = torch.zeros([1, 2, 1], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    torch.manual_seed(0)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
