import torch

def f(x0, x1):
    v0 = torch.ones([3, 3])
    v1 = v0.transpose(1, 0)
    v1.put_(x0, x1)
    return v0, v1

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([])
    r = f(x0, x1)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
