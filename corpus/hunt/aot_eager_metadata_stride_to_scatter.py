import torch

def f(x0, x1):
    v0 = x0.to(torch.float32, copy=True)
    v0.scatter_(0, x1, 1.0)
    return v0, v0

def run(f):
    x0 = torch.zeros([4]).as_strided([2, 2], [1, 2], 0)
    x1 = torch.zeros([1, 1], dtype=torch.int64)
    r = f(x0, x1)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
