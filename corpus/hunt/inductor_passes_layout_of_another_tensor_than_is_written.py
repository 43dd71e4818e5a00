import torch

def f(x0, x1):
    x0.tril_()
    v0 = x1.neg()
    v1 = x0.clone()
    return v1

def run(f):
    x0 = torch.zeros([3], dtype=torch.int64).as_strided([1, 1], [1, 1], 2)
    x1 = x0.detach().as_strided([3], [1], 0)
    r = [f(x0, x1)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
