import torch

def f(x0):
    with torch.no_grad():
        v0 = x0.reshape([])
    return v0

def run(f):
    x0 = torch.zeros([])
    r = [f(x0)]
    x0.requires_grad_(True)
    r = [f(x0)]
    return r[0].is_leaf

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
