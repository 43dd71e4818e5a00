import torch

def f(x0):
    v0 = x0.any()
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.uint8)
    r = [f(x0)]
    return r[0].dtype

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
