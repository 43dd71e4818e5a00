import torch

def f(x0, x1, x2, x3):
    v0, v1 = x2.unbind()
    v2 = x3.repeat_interleave(x1)
    x2.fill_(x0)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([2])
    x3 = torch.zeros([])
    r = [f(x0, x1, x2, x3)]
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
