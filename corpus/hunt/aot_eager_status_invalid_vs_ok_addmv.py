import torch

def f(x0, x1, x2):
    x2.addmv_(x0, x1)
    return None

def run(f):
    x0 = torch.zeros([0, 1])
    x1 = torch.zeros([1])
    x2 = torch.zeros([])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
