import torch

def f(x0, x1, x2):
    v0, v1 = torch.ops.aten.max_pool2d_with_indices.default(x2, [1, 1], stride=[2], dilation=[1])
    v2, v3 = torch.ops.aten.max_pool2d_with_indices.default(x2, [1, 1], stride=[2], dilation=[1])
    v0.baddbmm_(x0, x1)
    return v0, v3, v1

def run(f):
    x0 = torch.zeros([5, 3, 1])
    x1 = torch.zeros([5, 1, 2]).requires_grad_()
    x2 = torch.zeros([5, 5, 3])
    r = f(x0, x1, x2)
    return [t.untyped_storage().data_ptr() == r[2].untyped_storage().data_ptr() for t in [x0, x1, x2, r[0], r[1]]]

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
