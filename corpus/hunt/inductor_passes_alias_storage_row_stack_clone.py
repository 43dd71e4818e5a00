import torch

def f(x0):
    v0 = torch.row_stack([x0, x0])
    v1 = v0.clone()
    return v0, v1

def run(f):
    x0 = torch.zeros([2, 1], dtype=torch.int64)
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
