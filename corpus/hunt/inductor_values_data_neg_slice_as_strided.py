import torch

def f(x0):
    v0 = x0.neg()
    v1 = torch.ops.aten.slice.Tensor(v0, start=1)
    v1.as_strided_([1], [1], storage_offset=0)
    return v1

def run(f):
    x0 = torch.arange(4.0).reshape([2, 2])
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
