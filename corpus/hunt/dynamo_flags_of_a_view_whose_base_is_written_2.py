import torch

def f(x0, x1):
    seen = []
    v0 = x1.expand([1, 1])
    x1[()] = x0
    seen.append(("has_grad_fn", v0.grad_fn is not None))
    return seen,

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    r = f(x0, x1)
    return r[0]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
