import torch

def f(v0, x0, x2):
    v1 = x0.matmul(x2)
    v1.swapaxes_(0, 0)
    v0.grad_fn is not None
    v1.lerp_(v1, 1.0)
    return v1

def run(f):
    x0 = torch.zeros([1])
    x1 = torch.zeros([1]).requires_grad_()
    x2 = torch.zeros([1]).requires_grad_()
    (v0,) = x1.unbind()
    r = f(v0, x0, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
