import torch

def f(x0):
    v0 = x0.triu_()
    v0.squeeze_()
    return None

def run(f):
    x0 = torch.arange(3).as_strided([1, 1], [1, 1], 2)
    r = f(x0)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
