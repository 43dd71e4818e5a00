import torch

def f(x0, x1):
    seen = []
    torch.sigmoid(x0, out=x1)
    v0 = torch.ones([1, 1, 1])
    v0.set_(x1)
    seen.append(("storage_offset", v0.storage_offset()))
    return seen,

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([3]).as_strided([], [], 2)
    r = f(x0, x1)
    return r[0]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
