import torch

def f(x0):
    v0 = torch.ops.aten.view_copy.default(x0, [2, 2])
    v1 = v0.as_strided([1, 2], [1, 1])
    return v1

def run(f):
    x0 = torch.arange(4.0).as_strided([2, 2], [1, 2], 0)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
