import torch

def f(x0, x1, x2):
    x0.masked_fill_(x1, x2)
    v0 = x0.clone()
    return v0

def run(f):
    x0 = torch.zeros([4]).as_strided([2, 2], [1, 2], 0)
    x1 = torch.zeros([], dtype=torch.bool)
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
