import torch

def f(x2, v1):
    v2 = v1.add(3)
    v3 = v2.neg()
    v4 = v3.sum()
    v6 = v2.sum(dtype=torch.int8)
    v3[:2:2, -2] = x2
    return v6

def run(f):
    x2 = torch.tensor([-1], dtype=torch.int8)
    v1 = torch.tensor([[4, 3, -16, 13, 2, 7, -16, -13], [-16, -3, 2, 0, 7, -15, -6, 16], [-7, 7, 16, 8, -15, 11, -13, 7], [8, 12, 0, -8, 15, 1, -15, -10], [0, 13, 11, 13, 13, -4, -5, 3], [-14, 11, 12, 4, 3, -15, 14, 10], [4, -5, 2, 4, 9, 14, -14, -9], [-1, -8, 12, 13, -4, 1, 10, 16]], dtype=torch.int8)
    r = [f(x2, v1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
