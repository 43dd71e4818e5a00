import torch

def f(x0, x1, x2):
    x2.scatter_reduce_(0, x1, x0, 'prod')
    return None

def run(f):
    x0 = torch.zeros([2]).requires_grad_()
    x1 = torch.zeros([0], dtype=torch.int64)
    x2 = torch.zeros([])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
