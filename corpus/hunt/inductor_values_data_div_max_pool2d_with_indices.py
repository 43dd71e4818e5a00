import torch

def f(x0, x1):
    v0 = x1.div(0.0)
    v1, v2 = torch.ops.aten.max_pool2d_with_indices.default(v0, [1, 2])
    return v2

def run(f):
    x0 = torch.zeros([2]).as_strided([2], [1], 0)
    x1 = x0.detach().as_strided([1, 1, 2], [2, 2, 1], 0)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
