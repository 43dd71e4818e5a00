import torch

def f(x0, x1, x2):
    torch.ops.aten.index_put_.default(x2, [x0], x1)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([])
    x2 = torch.zeros([1])
    r = f(x0, x1, x2)
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.float64)
    x2 = torch.zeros([1])
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
