import torch

def f(x0):
    v0 = x0.float_power(0)
    v1 = torch.ops.aten.slice.Tensor(v0)
    v2 = v1.swapaxes_(1, 0)
    v2.sqrt_()
    return v1

def run(f):
    x0 = torch.zeros([2, 1]).requires_grad_()
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
