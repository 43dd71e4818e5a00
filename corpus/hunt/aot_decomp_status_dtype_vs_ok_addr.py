import torch

def f(x0, x1):
    v0 = x0.addr(x0, x1)
    return v0

def run(f):
    x0 = torch.zeros([1]).requires_grad_()
    x1 = torch.zeros([1], dtype=torch.int64)
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
