import torch

def f(x0, x1, x2):
    x1.addmv_(x2, x0)
    v0 = torch.ops.aten.as_strided_copy.default(x1, [1], [1], storage_offset=0)
    return v0

def run(f):
    x0 = torch.zeros([1])
    x1 = torch.arange(3.0).as_strided([1], [1], 2)
    x2 = torch.zeros([1, 1])
    r = [f(x0, x1, x2)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
