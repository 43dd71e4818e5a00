import torch

def f(x0, x1):
    v0 = x0.transpose(0, 0)
    v1 = v0.zero_()
    v2 = x1.corrcoef()
    v3 = v0.cumsum(0)
    return v3

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    with torch.no_grad():
        r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
