import torch

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x0.abs()
    v2 = v1.add(2)
    v3 = x1.diagonal_scatter(x2, offset=-2, dim1=1, dim2=-2)
    v1.lerp_(v2, 0.5)
    v4 = torch.tensor([0, 0, 0, 1], dtype=torch.int64).reshape([4]).clone()
    v5 = x2.index_fill_(0, v4, x4)
    v6 = torch.arange(4, dtype=torch.float32)
    x2.div_(x4, rounding_mode='trunc')
    v5.lerp_(x0, 0)
    v7 = x4.take(v4)
    v8 = torch.ops.aten.batch_norm.default(v3, v6, v6, x5, x6, True, 1.0, 0.125, False)
    v9 = x5.take(v4)
    v10 = torch.isin(1, x6)
    v8 = v8.narrow(-1, 2, 1)
    v11 = v8.sigmoid()
    v7.div_(x0, rounding_mode='floor')
    v12 = torch.arange(1, dtype=torch.float32)
    (v13,) = torch._foreach_add([v2], [v12])
    return v13, v9, v11, v10

def run(f):
    x0 = torch.tensor([2.0, -1.125, -1.125]).as_strided([1], [1], 2)
    x1 = torch.ones([65, 4]).requires_grad_()
    x2 = torch.tensor([-1.25, 1.625, 0.0, 1.375, -1.375, 0.125]).as_strided([2], [1], 4).detach().requires_grad_()
    x3 = torch.tensor([-7], dtype=torch.int32)
    x4 = torch.tensor(0.5).requires_grad_()
    x5 = torch.tensor([0.5, -1.25, 1.75, -0.625])
    x6 = torch.tensor([1.0, 4.0, 4.0, 1.0])
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5, x6)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
