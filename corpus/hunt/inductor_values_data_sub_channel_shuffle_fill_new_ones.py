import torch

def f(x0, x1, x2):
    v1 = x2.sub(x1)
    v2 = torch.ops.aten.channel_shuffle.default(x0, 1)
    x0.fill_(-3)
    v3 = v2.new_ones([3], dtype=torch.float32)
    return v2, v1

def run(f):
    x0 = torch.tensor([[[13], [-12], [0]]], dtype=torch.int8)
    x1 = torch.tensor([-16, 0, 0, -13, -7, 13, 14, 14, 3, 9], dtype=torch.int8).as_strided([3, 3], [3, 1], 1)
    x2 = torch.tensor([-11, -16, 5], dtype=torch.int8).as_strided([3, 3], [1, 0], 0)
    r = f(x0, x1, x2)
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
