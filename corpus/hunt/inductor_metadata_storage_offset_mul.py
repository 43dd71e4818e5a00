import torch

def f(x0):
    v0 = x0.mul(True)
    return v0

def run(f):
    x0 = torch.zeros([6], dtype=torch.bool).as_strided([], [], 5)
    r = [f(x0)]
    return r[0].storage_offset()

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
