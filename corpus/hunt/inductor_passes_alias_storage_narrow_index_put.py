import torch

def f(x0, x1, x2):
    v0 = x0.narrow(0, 0, 0)
    v1 = torch.ops.aten.index_put.default(v0, [None, x1], x2)
    return v1

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0, x1, x2]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
