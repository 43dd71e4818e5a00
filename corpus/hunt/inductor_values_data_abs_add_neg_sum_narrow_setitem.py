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
    v1 = torch.tensor([[4, 3, -16, 13], [2, 7, -16, -13], [-16, -3, 2, 0], [7, -15, -6, 16]], dtype=torch.int8)
    r = [f(x2, v1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
