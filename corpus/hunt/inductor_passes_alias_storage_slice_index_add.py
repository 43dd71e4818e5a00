import torch

def f(x0, x1, x2):
    v0 = torch.ops.aten.slice.Tensor(x0, dim=1, start=1)
    v1 = v0.index_add(3, x1, x2)
    return v1

def run(f):
    x0 = torch.zeros([1, 1, 1, 1])
    x1 = torch.zeros([3], dtype=torch.int64)
    x2 = torch.zeros([1, 0, 1, 3])
    r = [f(x0, x1, x2)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0, x1, x2]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
