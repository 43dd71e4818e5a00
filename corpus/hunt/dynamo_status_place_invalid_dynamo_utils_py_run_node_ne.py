import torch

def f(x0, x1, x2):
    v0 = x1.unsqueeze(0)
    v1 = v0.ne_(x0)
    x2.mul_(x1)
    v2 = x2.mul(1)
    return None

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.bool)
    x2 = torch.zeros([], dtype=torch.bool)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
