import torch

def f(x0, x1):
    v0 = x0.abs()
    v1 = v0.t()
    v2 = torch.tensor([0], dtype=torch.int64).reshape([1, 1]).clone()
    v1.scatter_(0, v2, x1, reduce='add')
    return v0, v0

def run(f):
    x0 = torch.zeros([2, 2])
    x1 = torch.zeros([1, 1]).requires_grad_()
    r = f(x0, x1)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
