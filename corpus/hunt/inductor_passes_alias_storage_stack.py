import torch

def f(x0):
    v0 = torch.stack([x0])
    v1 = torch.stack([v0])
    return v1

def run(f):
    x0 = torch.zeros([1])
    r = [f(x0)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
