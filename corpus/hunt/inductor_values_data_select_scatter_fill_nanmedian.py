import torch

def f(x0, x1, x2, x3):
    v1 = x1.select_scatter(x3, 1, -9)
    x1.fill_(-1)
    v2 = v1.nanmedian()
    return v1, x3, v2

def run(f):
    x0 = torch.tensor([3, -5, -10, 9, -11, 4, 3, -12, 2, 11, 3, -11, -4, 1, 9], dtype=torch.int8).as_strided([8], [2], 0)
    x1 = torch.zeros([3, 15], dtype=torch.int8)
    x2 = torch.tensor([[-16], [8], [-5], [4], [7], [1], [4], [0]], dtype=torch.int8)
    x3 = torch.tensor([-11, 13, 9], dtype=torch.int8).as_strided([3], [1], 0)
    r = f(x0, x1, x2, x3)
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
