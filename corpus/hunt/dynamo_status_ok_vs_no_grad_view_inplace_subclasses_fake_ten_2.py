import torch

def f(x0, x1):
    v0 = x0.transpose(0, 0)
    v1 = torch.sqrt(x1, out=v0)
    return v1

def run(f):
    x0 = torch.zeros([1]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    with torch.no_grad():
        r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
