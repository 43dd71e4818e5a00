import torch

def f(x0, x1):
    v0 = x1.t()
    v1 = v0.div(x0)
    v2 = v1.t()
    v3, v4, v5, v6, v7, v8 = v2.tensor_split(6, dim=1)
    v9 = v8.sqrt()
    return v4, v3

def run(f):
    x0 = torch.tensor(-11)
    x1 = torch.ones([2, 6], dtype=torch.int64)
    r = f(x0, x1)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, x1, r[0]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
