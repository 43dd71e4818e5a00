import torch

def f(x0, x1, x2):
    v0 = x1.expand_as(x0)
    x1.fill_(1)
    v1 = x1[0]
    v2 = v1.expand_as(x2)
    return v2

def run(f):
    x0 = torch.zeros([2], dtype=torch.int64).as_strided([1, 2], [2, 1], 0)
    x1 = x0.detach().as_strided([1, 2], [2, 1], 0)
    x2 = torch.zeros([2], dtype=torch.int64)
    r = [f(x0, x1, x2)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
