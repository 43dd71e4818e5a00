import torch

def f(x0, x1, x2, x3):
    x0.copy_(x1)
    v0 = x0.neg()
    v0.retain_grad()
    v0.masked_fill_(x2, x3)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([], dtype=torch.bool)
    x3 = torch.zeros([])
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
