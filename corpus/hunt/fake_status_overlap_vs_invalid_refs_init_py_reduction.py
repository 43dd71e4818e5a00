import torch

def f(x0, x1):
    v0 = x1.scatter_add_(0, x0, x1)
    x1.cumprod_(0, dtype=torch.float64)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
