import torch

def f(x0, x1, x2, x3):
    v0 = x1.neg()
    v1 = v0.add(1)
    x0.resize_([1])
    (v2,) = torch.autograd.grad([v1], [v0])
    v3, v4, v5 = torch._foreach_floor([x2, x2, x3])
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([]).requires_grad_()
    x3 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
