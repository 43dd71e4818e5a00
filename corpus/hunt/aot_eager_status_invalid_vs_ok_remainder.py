import torch

def f(x0, x1, x2, x3):
    torch.remainder(x3, x0, out=x0)
    torch.remainder(x2, x1, out=x0)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    x3 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2, x3)
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.ones([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    x3 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
