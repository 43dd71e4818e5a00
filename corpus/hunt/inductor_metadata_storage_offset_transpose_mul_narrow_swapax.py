import torch

def f(x0):
    v0 = x0.transpose(0, 1)
    v1 = v0.mul(v0)
    v2 = v1.narrow(1, 1, 2)
    v3 = v1.swapaxes(1, 0)
    return v3, v2

def run(f):
    x0 = torch.zeros([3, 2], dtype=torch.bool)
    r = f(x0)
    return r[1].storage_offset()

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
