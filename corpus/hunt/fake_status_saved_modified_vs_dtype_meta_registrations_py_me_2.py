import torch

def f(v0, v1, x2):
    v2 = v1.addcdiv(v1, x2)
    v3 = v2.addcdiv(v2, v0)
    return v3

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.zeros([], dtype=torch.int64)
    v0 = x0.exp()
    v0.add_(x1)
    with torch.no_grad():
        v1 = v0.unsqueeze(0)
    r = [f(v0, v1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
