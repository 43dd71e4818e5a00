import torch

def f(x0, x1, x2):
    v0, v1 = torch.ops.aten.atleast_1d.Sequence([x1, x2])
    v2 = v1.as_strided([1, 1], [1, 1])
    v3 = v2.fill_(x0)
    return v3

def run(f):
    x0 = torch.zeros([], dtype=torch.bool)
    x1 = torch.zeros([], dtype=torch.bool)
    x2 = torch.zeros([], dtype=torch.bool)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
