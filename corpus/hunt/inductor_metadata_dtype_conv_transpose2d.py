import torch

def f(x0, x1):
    v0 = torch.conv_transpose2d(x0, x1)
    return v0

def run(f):
    x0 = torch.zeros([0, 1, 1, 1], dtype=torch.bool)
    x1 = torch.zeros([1, 1, 1, 1], dtype=torch.bool)
    r = [f(x0, x1)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
