import torch

def f(x0):
    v1 = torch.stack([x0])
    v6 = torch.stack([v1])
    return v6

def run(f):
    x0 = torch.zeros([4]).as_strided([2, 2], [1, 2], 0)
    r = [f(x0)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
