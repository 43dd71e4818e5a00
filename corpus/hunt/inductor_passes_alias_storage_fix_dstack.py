import torch

def f(x1):
    v1 = x1.fix()
    v3 = torch.dstack([v1])
    return v3

def run(f):
    x1 = torch.tensor(16)
    r = [f(x1)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x1]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
