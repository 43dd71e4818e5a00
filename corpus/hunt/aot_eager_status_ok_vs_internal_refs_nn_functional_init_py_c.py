import torch

def f(x0):
    v0 = torch.ops.aten.channel_shuffle.default(x0, 1)
    return v0

def run(f):
    x0 = torch.zeros([1, 0, 1]).requires_grad_()
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
