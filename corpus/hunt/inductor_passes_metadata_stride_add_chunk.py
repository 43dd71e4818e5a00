import torch

def f(x0):
    v0 = x0.add(1)
    v1, v2, v3, v4, v5, v6 = v0.chunk(7)
    return v6, v3

def run(f):
    x0 = torch.zeros([63]).as_strided([16, 2], [2, 32], 0)
    r = f(x0)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
