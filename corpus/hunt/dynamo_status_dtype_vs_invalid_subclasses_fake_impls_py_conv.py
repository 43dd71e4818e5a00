import torch

def f(x0, x1):
    v0 = torch.conv_transpose3d(x1, x0)
    return None

def run(f):
    x0 = torch.zeros([1, 1, 1, 1, 1])
    x1 = torch.zeros([1, 1, 1, 1])
    r = f(x0, x1)
    x0 = torch.zeros([1, 1, 1, 1, 1], dtype=torch.float64)
    x1 = torch.zeros([1, 1, 1, 1])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
