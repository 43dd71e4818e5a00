import torch

def f(x0, x1, x2):
    v0 = x0.as_strided_scatter(x1, [1], [1])
    v0.mul_(x2)
    v1 = torch.ops.aten.slice.Tensor(v0, start=1)
    v2 = v0.permute([1, 2, 0])
    return v2, v1

def run(f):
    x0 = torch.zeros([4], dtype=torch.int64).as_strided([2, 1, 2], [1, 2, 2], 0)
    x1 = torch.zeros([1], dtype=torch.int64)
    x2 = torch.zeros([2], dtype=torch.int64)
    r = f(x0, x1, x2)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
