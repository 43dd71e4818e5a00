import torch

def f(x0, x1, x2):
    v0 = x2.addmv(x0, x1)
    return v0

def run(f):
    x0 = torch.zeros([0, 1])
    x1 = torch.zeros([1]).requires_grad_()
    x2 = torch.zeros([1])
    r = [f(x0, x1, x2)]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
