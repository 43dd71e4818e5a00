import torch

def f(x0, x1):
    v0 = x1.lerp_(x0, False)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
