import torch

def f(x0, x1, x2):
    v0 = x0.narrow(0, 0, 0)
    x0.scatter_(0, x1, x2)
    v1 = x0.squeeze_(0)
    v0.squeeze_(0)
    return None

def run(f):
    x0 = torch.zeros([1])
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([]).requires_grad_()
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
