import torch

def f(x0):
    v0 = torch.cat([x0, x0, x0])
    v1 = torch.stack([v0])
    v2 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v3 = v2.clone()
    return v3, v2

def run(f):
    x0 = torch.zeros([2], dtype=torch.int64)
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
