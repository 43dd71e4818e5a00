import torch

def f(x0, x1):
    torch.prod(x0, 0, keepdim=True, out=x1)
    return None

def run(f):
    x0 = torch.tensor([100, -9223372036854775808])
    x1 = torch.zeros([1])
    r = f(x0, x1)
    return x1

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
