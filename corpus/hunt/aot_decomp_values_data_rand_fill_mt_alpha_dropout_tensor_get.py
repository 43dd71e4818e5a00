import torch

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = torch.rand([9], requires_grad=True)
    x0.fill_(0)
    v2 = x0.mT
    v3 = x0.mT
    v4 = torch.alpha_dropout_(v3, 0.25, True)
    v5 = torch.tensor([0, 1, 0, 0], dtype=torch.int64).reshape([4]).clone()
    v6 = v4[v5, :, True]
    v7 = x1.transpose(-1, 0)
    v8 = x1.transpose(-1, 0)
    v9 = x5[-1:]
    v10 = torch.tensor([2, 1, 6, 3, 4], dtype=torch.int32).reshape([5]).clone()
    v11, v12, v13, v14 = torch.embedding_bag(x2, v10, x6, False, 0, False, None, False, -6)
    v15, v16, v17, v18 = torch.embedding_bag(v6, x7, v14, True, 1, False, None, False, -2)
    v18.bitwise_xor_(1)
    return v2, v17, x8

def run(f):
    torch.manual_seed(4782)
    x0 = torch.tensor([1.25, -1.375, 1.25, -2.0, -2.0, 1.75, 0.75, 1.125, -0.75, 0.75, -0.75, -0.25, -0.375, -1.125, 0.5, -0.5], dtype=torch.float16).as_strided([8, 2], [2, 1], 0)
    x1 = torch.tensor([13, 13, -9, 7, -13, 15, 6, 7, -15, -10, 2, -1, 1, 14, -6, 14, 5, 11, -15, 6, 5, 11, 3, -11, -13, -15, 5, 8, 2, -8, 10, 8, 13, 12, 5, -3, -11, -1, -14, -7, 6, -16, -12, -6, -9, -9, -7, 9, 14, 7, 1]).as_strided([8, 4], [6, 1], 5)
    x2 = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 6e+01, 61.0, 62.0, 63.0, 64.0, 65.0, 66.0, 67.0, 68.0, 69.0, 7e+01, 71.0], dtype=torch.float16).as_strided([9, 8], [1, 9], 0).detach().requires_grad_()
    x3 = torch.tensor([0], dtype=torch.int32)
    x4 = torch.tensor([0, 0, 1])
    x5 = torch.tensor([0, 3, 4])
    x6 = torch.tensor([0, 3, 3, 3])
    x7 = torch.tensor([1, 1])
    x8 = torch.tensor([0, 0, 1])
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
