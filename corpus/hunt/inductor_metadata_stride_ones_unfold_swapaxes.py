import torch

def f():
    v0 = torch.ones([1, 1, 1, 4])
    v1 = v0.unfold(3, 1, 3)
    v2 = v1.unfold(0, 1, 1)
    v3 = v1.swapaxes_(0, 1)
    return v3, v2

def run(f):
    r = f()
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
