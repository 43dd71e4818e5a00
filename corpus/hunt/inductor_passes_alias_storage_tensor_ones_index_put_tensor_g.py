import torch

def f(x0, x1, x2):
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v2 = torch.ones([], dtype=torch.float16)
    v3 = torch.ops.aten.index_put.default(x0, [v1, v1], v2)
    v4 = torch.tensor([0, 0, 0, 0], dtype=torch.int64).reshape([2, 2]).clone()
    v5 = x2.gather(0, v4)
    v6 = v5.narrow(0, 2, 0)
    v7 = torch.ops.aten.special_xlog1py.default(v2, x0)
    v8 = v2.fill_(0.0)
    v9 = torch.tensor([-1, -2, -2], dtype=torch.int64).reshape([3]).clone()
    v10 = torch.ops.aten.index_put.default(v5, [v9], x2, accumulate=True)
    v11 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v12 = torch.ones([], dtype=torch.float32)
    torch.ops.aten.index_put_.default(v10, [v11], v12, accumulate=True)
    v13 = torch.tensor([0, 0, 1], dtype=torch.int64).reshape([3]).clone()
    v14 = torch.ops.aten.index_put.default(v11, [v13], v13, accumulate=True)
    v8.storage_offset()
    return v7, v6, v14, v13, v12, v11, v10, v9

def run(f):
    x0 = torch.tensor([0.375, 2.0, 1.25, 0.25, -0.125, 0.5, 1.0, 1.625, 0.75, 1.5, -0.25, -0.25, -0.875, 1.125], dtype=torch.float16).as_strided([2, 7], [7, 1], 0)
    x1 = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], dtype=torch.float16).as_strided([1, 9], [9, 1], 0).detach().requires_grad_()
    x2 = torch.tensor([-0.30000001192092896, 0.10000000149011612]).as_strided([1, 2], [2, 1], 0)
    r = f(x0, x1, x2)
    return [t.untyped_storage().data_ptr() == r[6].untyped_storage().data_ptr() for t in [x0, x1, x2, r[0], r[1], r[2], r[3], r[4], r[5]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
