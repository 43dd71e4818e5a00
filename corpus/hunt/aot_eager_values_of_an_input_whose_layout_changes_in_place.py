import torch

def f(x0):
    v0 = x0.clamp_min_(1)
    v1 = v0.swapdims_(0, 0)
    return None

def run(f):
    x0 = torch.zeros([3], dtype=torch.int64).as_strided([2], [2], 0)
    r = f(x0)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
