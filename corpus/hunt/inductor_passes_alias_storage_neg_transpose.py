import torch

def f(x0):
    v0 = x0.neg()
    v1 = v0.transpose(0, 1)
    return v0, v1

def run(f):
    x0 = torch.zeros([224]).as_strided([1, 1, 32, 7], [224, 7, 7, 1], 0)
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
