import torch

def f(x0, x1, x2, x3):
    v0 = x0.matmul(x1)
    v0[-5] = x3
    v1 = v0.scatter_(0, x2, 1.0, reduce='add')
    return None

def run(f):
    x0 = torch.zeros([1])
    x1 = torch.zeros([1, 5])
    x2 = torch.zeros([], dtype=torch.int64)
    x3 = torch.zeros([]).requires_grad_()
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
