import torch

def f(x0):
    v0 = x0.select(-4, 0)
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
