import torch

def f(x0, x1, x2):
    v0 = x1.add(x0)
    v1 = v0.masked_fill_(x2, 1)
    return v1, v1

def run(f):
    x0 = torch.zeros([4], dtype=torch.int64).as_strided([2, 2], [1, 2], 0)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.bool)
    r = f(x0, x1, x2)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
