import torch

def f(x0, x1, x2, x3, x4, x5):
    v1 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v2 = torch.ops.aten.index_put.default(x0, [v1], x1)
    v3 = x1.set_(x0)
    v4 = torch.ops.aten.slice.Tensor(v3, dim=1, step=3)
    v5 = torch.nn.functional.linear(x1, x2, bias=x3)
    x0[2, :] = x4
    v4.set_(x5)
    x3[[1, 1, 0, 0],] = 3
    v1.dtype
    return v5, x5

def run(f):
    x0 = torch.tensor([[7, 100, 0, -7, 7, 127, 3, 3], [-2, 5, -7, 100, -1, -7, 0, -2], [0, -2, 7, 7, 0, 100, 1, -128], [100, 7, -128, -1, 2, 2, 1, -1], [2, -128, 5, -1, 100, 7, -2, 7], [-7, -7, -128, -2, 7, -7, -1, 2], [-1, 127, 0, 3, 5, 100, 1, -7], [0, -128, -1, 2, 1, 2, -7, 7], [2, -128, -1, 5, 3, -2, 127, -128]], dtype=torch.int8)
    x1 = torch.tensor(0, dtype=torch.int8)
    x2 = torch.tensor([[1, 1, -1, 0, -1, 0, -1, -1], [1, 2, 1, 127, 0, 0, -1, -128], [-1, 1, -128, 127, -127, -1, -128, -1]], dtype=torch.int8)
    x3 = torch.tensor([0, 7, -128], dtype=torch.int8)
    x4 = torch.tensor([-1, -1, -1, 1, -128, -1, 127, 0], dtype=torch.int8)
    x5 = torch.tensor([[3, 0, -2, 1, 2, -7, 5, 5, 5, -2], [127, 0, 127, 7, -1, 1, 0, 2, -2, -1], [0, -2, 100, 3, 3, 2, -1, -2, 1, 7]], dtype=torch.int8)
    r = f(x0, x1, x2, x3, x4, x5)
    return x0._version > 0

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
