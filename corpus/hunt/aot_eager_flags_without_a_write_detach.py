import torch

def f(x0, x1):
    v0 = x0.detach()
    v1 = x1.new_zeros([1, 1], requires_grad=True)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    r = [f(x0, x1)]
    return r[0].is_leaf

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
