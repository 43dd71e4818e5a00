import torch

def f(x0, x1):
    v0, v1, v2, v3, v4, v5, v6, v7, v8 = x0.unbind()
    v9 = v5.as_strided_scatter(x1, [1], [1], storage_offset=0)
    return v9

def run(f):
    x0 = torch.zeros([9])
    x1 = torch.ones([1])
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
