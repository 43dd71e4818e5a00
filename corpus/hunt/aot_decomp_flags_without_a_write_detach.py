import torch

def f(x0):
    v0 = torch.ops.aten.elu.default(x0)
    v1 = v0.H
    v2 = v0.detach()
    return v2, v1

def run(f):
    x0 = torch.zeros([1, 2]).requires_grad_()
    r = f(x0)
    return r[1].is_leaf

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
