import torch

def f(x0, x1):
    v0 = torch.ones([2048, 1], dtype=torch.bool)
    v1, v2, v3, v4 = v0.split_with_sizes([743, 1247, 51, 7])
    v5 = v2.put(x0, x1)
    return v1, v5

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.bool)
    r = f(x0, x1)
    return r[1].storage_offset()

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
