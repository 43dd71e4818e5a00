import torch

def f(x0):
    v0 = torch.pow(1, x0)
    v1 = torch.ops.aten.slice.Tensor(v0)
    return v1, v0

def run(f):
    x0 = torch.zeros([4], dtype=torch.bool).as_strided([2, 2], [1, 2], 0)
    r = f(x0)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
