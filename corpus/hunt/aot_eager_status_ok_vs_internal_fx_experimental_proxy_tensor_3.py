import torch

def f(x0, x1):
    v0 = x0.squeeze(0)
    x1.zero_()
    v1 = v0.squeeze(0)
    return v1

def run(f):
    x0 = torch.zeros([1]).as_strided([], [], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([], [], 0).detach()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
