import torch

def f(x0, x1, x2):
    with torch.enable_grad():
        torch.ops.aten.index_put_.default(x0, [None, x1], x2)
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([]).requires_grad_()
    with torch.no_grad():
        r = f(x0, x1, x2)
    return x0.requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
