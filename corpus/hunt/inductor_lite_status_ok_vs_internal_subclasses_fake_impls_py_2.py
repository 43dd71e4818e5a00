import torch

def f(x0, x1):
    v0 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v1 = x1.index_fill(0, v0, x0)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
