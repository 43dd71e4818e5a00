import torch

def f(x0, x1):
    v0 = x0.add(x1)
    v0.squeeze_()
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.bool)
    r = [f(x0, x1)]
    v0, = r
    v0.add_(v0)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
