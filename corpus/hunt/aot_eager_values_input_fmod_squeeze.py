import torch

def f(x0, x1):
    v0 = torch.fmod(x0, x1, out=x0)
    v0.squeeze_(0)
    return None

def run(f):
    x0 = torch.ones([3], dtype=torch.int64).as_strided([], [], 2)
    x1 = torch.ones([], dtype=torch.int64)
    r = f(x0, x1)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
