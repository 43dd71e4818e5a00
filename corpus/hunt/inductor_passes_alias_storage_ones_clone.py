import torch

def f():
    v0 = torch.ones([])
    v1 = v0.clone()
    v2 = v0.clone()
    return v2, v1

def run(f):
    r = f()
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
