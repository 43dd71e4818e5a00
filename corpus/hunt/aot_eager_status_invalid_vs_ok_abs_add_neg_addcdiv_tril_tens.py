import torch

def f(x0):
    v0 = torch.tensor([0], dtype=torch.int64).reshape([1, 1]).clone()
    v1 = x0.scatter_(0, v0, -0.75)
    return None

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.uint8)
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
