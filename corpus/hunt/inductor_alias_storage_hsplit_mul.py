import torch

def f(x0):
    v0, v1, v2 = x0.hsplit([1, 1])
    v3 = v2.mul(1)
    return v3

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    r = [f(x0)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
