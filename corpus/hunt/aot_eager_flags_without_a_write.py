import torch

def f(x0):
    torch.ops.aten.requires_grad_.default(x0)
    return None

def run(f):
    x0 = torch.zeros([])
    r = f(x0)
    return x0.requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
