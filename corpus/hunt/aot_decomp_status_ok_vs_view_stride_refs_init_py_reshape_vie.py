import torch

def f(x0):
    v0 = x0.as_strided([4, 2], [1, 1])
    v1 = torch.ops.aten.view_copy.default(v0, [8])
    return None

def run(f):
    x0 = torch.zeros([3, 2])
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
