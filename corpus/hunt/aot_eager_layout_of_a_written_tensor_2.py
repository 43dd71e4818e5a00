import torch

def f(x0, x1):
    v0 = torch.ones([2, 2])
    v1 = v0.transpose(0, 1)
    v1.index_add_(0, x0, x1)
    return v1, v1

def run(f):
    x0 = torch.zeros([0], dtype=torch.int64)
    x1 = torch.zeros([0, 2])
    r = f(x0, x1)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
