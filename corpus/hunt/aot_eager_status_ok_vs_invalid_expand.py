import torch

def f(x0):
    with torch.enable_grad():
        v0 = x0.expand([1, 1, 1])
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    with torch.no_grad():
        r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
