import torch

def f(v1, x2):
    (v2,) = torch.autograd.grad([x2], [x2])
    return v1

def run(f):
    x0 = torch.zeros([1]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([])
    v0 = x0.neg()
    with torch.no_grad():
        v1 = torch.ops.aten.slice.Tensor(v0)
    v0.copy_(x1)
    r = [f(v1, x2)]
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
