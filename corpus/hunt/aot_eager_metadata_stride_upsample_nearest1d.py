import torch

def f(x0):
    v0 = torch.ops.aten.upsample_nearest1d.default(x0, [1])
    return v0

def run(f):
    x0 = torch.zeros([7]).as_strided([2, 3, 1], [2, 2, 1], 0)
    r = [f(x0)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
