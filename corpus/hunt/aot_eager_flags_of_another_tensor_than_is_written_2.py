import torch

def f(x0, x1):
    v0 = x0.triu()
    v1 = x1.transpose(0, 1)
    torch.lerp(v1, v1, 1.0, out=v1)
    v2 = v0.norm(0.0, 0)
    return v2

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    x1 = torch.zeros([2, 2])
    r = [f(x0, x1)]
    return r[0].requires_grad

compiled = torch.compile(f, backend="inductor", mode="lite")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
