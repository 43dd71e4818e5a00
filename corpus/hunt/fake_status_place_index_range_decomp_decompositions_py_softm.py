import torch

def f(x0, x1, x2):
    v0 = x0[x1]
    v1 = x2.softmax(1)
    return None

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    x1 = torch.ones([1], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
