import torch

def f(x0, x1):
    v1 = x1.amax(dim=1)
    x0.triu_(diagonal=-2)
    return None

def run(f):
    x0 = torch.zeros([2, 7], dtype=torch.float16)
    x1 = torch.zeros([1, 7], dtype=torch.float16)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
