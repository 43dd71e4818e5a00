import torch

def f(x0, x1, x2, x3):
    v0 = x1.copysign(1)
    x2.set_(x0, 0, [])
    v1 = v0.copy_(x3)
    return v1

def run(f):
    x0 = torch.zeros([2])
    x1 = torch.zeros([3]).requires_grad_()
    x2 = torch.zeros([])
    x3 = torch.zeros([])
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([3])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
