import torch

def f(x0, x1):
    v0 = x1.mT
    v1 = v0.narrow(0, 0, 1)
    v2 = v1.reshape([x0.size(0)])
    v3 = torch.arange(1)
    v1.copy_(v3)
    return v2

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    x1 = torch.zeros([1, 1], dtype=torch.int64)
    r = [f(x0, x1)]
    x0 = torch.zeros([2], dtype=torch.int64)
    x1 = torch.zeros([2, 2], dtype=torch.int64)
    r = [f(x0, x1)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
