import torch

def f(x0):
    v0 = x0.neg()
    v1 = v0.select(0, 0)
    v2, v3 = v1.dsplit([1])
    return v3, v2

def run(f):
    x0 = torch.zeros([2], dtype=torch.int64).as_strided([1, 2, 1, 1], [2, 1, 2, 2], 0)
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
