import torch

def f(x0):
    v0 = x0.neg()
    (v1,) = torch.autograd.grad([v0], [x0], create_graph=True)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    return r[0].requires_grad

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
