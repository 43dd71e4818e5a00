import torch

def f(x0, x1, x2):
    x1[()] = 1
    v0 = x2[()]
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1])
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    x0 = torch.zeros([2]).as_strided([], [], 0).detach()
    x1 = x0.detach().as_strided([2], [1], 0).detach()
    x2 = x0.detach().as_strided([], [], 0).detach()
    r = [f(x0, x1, x2)]
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
