import torch

def f(x0, x1, x2, x3, x4, x5):
    v1 = x2.abs()
    v2 = v1.add(2)
    v3 = v1.isfinite()
    v4 = x1.permute([1, 0])
    x1.cumsum_(-2)
    if x1.requires_grad:
        v5 = v2.isfinite()
    v6 = v3.isfinite()
    v7 = v6.isfinite()
    v3[x3, :] = 2
    v8 = v7[0:3, 0:1:2]
    v9 = x3.index_fill(0, x4, True)
    x3.zero_()
    v10 = v1.clamp_max(x5)
    x5.zero_()
    v11 = v10.flipud()
    v12 = v10.t()
    v13 = v12.isfinite()
    v12.copy_(x5)
    x0.is_contiguous()
    return v9, v10, v13, v12, v11, v8, v7, v6

def run(f):
    x0 = torch.tensor([14, 11, 2, 19, 27, 14, 32, 21, 6, 21, 22, 14, 9, 15, 18, 25, 12, 4, 13, 31, 10, 27, 31, 3, 5, 14, 20, 12, 15, 13, 29, 23, 32], dtype=torch.uint8).as_strided([3, 5], [12, 2], 0).detach()
    x1 = torch.tensor([13, 29, 18, 29, 9, 27, 19, 23, 2, 12, 19, 2, 31, 22, 12], dtype=torch.uint8).as_strided([5, 3], [3, 1], 0)
    x2 = x0.detach().as_strided([3, 1], [12, 2], 8).detach()
    x3 = torch.tensor([False, False, False])
    x4 = torch.tensor([2, 2, 2])
    x5 = torch.arange(1.0).reshape([])
    r = f(x0, x1, x2, x3, x4, x5)
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
