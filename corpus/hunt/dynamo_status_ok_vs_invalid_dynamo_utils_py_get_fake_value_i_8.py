import torch

def f(x0, x1):
    v0 = x1.t()
    v0.ge_(x0)
    return None

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
