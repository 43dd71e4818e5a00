import torch

def f(x0, x1):
    v0 = x1.mv(x0)
    return None

def run(f):
    x0 = torch.zeros([1])
    x1 = torch.zeros([1, 1])
    r = f(x0, x1)
    x0 = torch.zeros([1], dtype=torch.float64)
    x1 = torch.zeros([1, 1])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
