import torch

def f(x0, x1):
    v0 = x0.index_fill_(0, x1, 1.0)
    v0.swapdims_(0, 0)
    return None

def run(f):
    x0 = torch.zeros([2]).as_strided([], [], 1)
    x1 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
