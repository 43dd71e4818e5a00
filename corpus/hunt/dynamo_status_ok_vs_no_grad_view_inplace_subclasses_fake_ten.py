import torch

def f(x0):
    v0 = x0.expand([2])
    torch.abs(x0, out=x0)
    v0.absolute_()
    return v0

def run(f):
    x0 = torch.zeros([3]).as_strided([2], [2], 0).detach()
    r = f(x0)
    x0.requires_grad_(True)
    with torch.no_grad():
        r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
