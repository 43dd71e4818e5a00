import torch

def f(x0):
    v0, v1 = x0.aminmax(keepdim=True)
    return v0

def run(f):
    x0 = torch.zeros([2], dtype=torch.bool)
    r = [f(x0)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
