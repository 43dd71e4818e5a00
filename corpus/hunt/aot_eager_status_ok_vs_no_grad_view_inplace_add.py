import torch

def f(x0):
    v0 = torch.ones([1, 1])
    v1 = v0.permute([0, 1])
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    v1, = r
    v1.add_(x0)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
