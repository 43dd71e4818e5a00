import torch

def f(x0, x1):
    v0 = x0.expand([1, x0.size(0), 0])
    x0[()] = x1
    assert v0.grad_fn is not None
    return None

def run(f):
    x0 = torch.zeros([0])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
