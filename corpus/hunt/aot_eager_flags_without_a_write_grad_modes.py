import torch

def f(x0):
    with torch.no_grad():
        v0 = x0.squeeze(0)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    return r[0].is_leaf

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
