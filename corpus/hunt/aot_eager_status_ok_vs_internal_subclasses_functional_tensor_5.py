import torch

def f(v1, v2, v3, x1, x2, x3):
    v4 = torch.ops.aten.t_copy.default(x1)
    v5 = torch.ops.aten.pad.default(v2, [0, 0, 0, 0, 0, -1], mode='constant')
    v5.eq_(0.125)
    v5.eq_(0.125)
    v6 = v5[:, 0:1, 0, -1, 0:0]
    v6.eq_(1)
    v6.eq_(1.0)
    v7 = v6.new_zeros([])
    v8 = torch.tensor([0, 1, 1, 0], dtype=torch.int64).reshape([4]).clone()
    v9 = x1.index_fill(-1, v8, -0.75)
    v10 = x1.index_fill(-1, v8, -0.75)
    v11 = v10[:]
    v11.add_(v4)
    v11.add_(v4, alpha=1)
    v12 = v11.as_strided([1], [1])
    v12.mul_(x2)
    v5.is_leaf
    return v5, v6, v9, v10, v11

def run(f):
    x0 = torch.tensor([14, 7, -6, -12], dtype=torch.int16).as_strided([1, 1, 2, 2], [4, 1, 2, 1], 0)
    x1 = torch.tensor([7], dtype=torch.int16).as_strided([2], [0], 0)
    x2 = torch.tensor(3, dtype=torch.int16)
    x3 = torch.tensor([1, 0])
    v1 = x0.unsqueeze(-1)
    v2 = v1.neg()
    v3 = v2.mul(-3)
    with torch.no_grad():
        r = f(v1, v2, v3, x1, x2, x3)
    v5, v6, v9, v10, v11, = r
    v10.scatter_add_(0, x3, v9)
    v10.scatter_add_(0, x3, v9)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
