import torch

def f(x0):
    v0 = torch.vander(x0)
    v0.floor_divide_(1)
    return v0

def run(f):
    x0 = torch.zeros([2]).requires_grad_()
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
