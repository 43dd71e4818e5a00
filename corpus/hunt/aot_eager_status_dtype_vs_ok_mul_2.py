import torch

def f(x0):
    x0.mul_(1.0)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.bool)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
