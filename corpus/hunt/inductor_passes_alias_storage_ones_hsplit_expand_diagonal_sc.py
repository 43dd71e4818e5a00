import torch

def f(x0):
    v0 = torch.ones([1, 1])
    v1, v2 = v0.hsplit([1])
    v3 = v1.expand([1, 0])
    v4 = v1.diagonal_scatter(x0)
    return v3, v4

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
