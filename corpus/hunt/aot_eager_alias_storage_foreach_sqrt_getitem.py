import torch

def f(x0, x1, x2):
    (v0,) = torch._foreach_sqrt([x0])
    (v1,) = torch._foreach_sqrt([x0])
    v2 = x2[x1]
    return v0, v1, v2

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1], dtype=torch.int64)
    x2 = torch.zeros([1]).requires_grad_()
    r = f(x0, x1, x2)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, x1, x2, r[0]]]

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
