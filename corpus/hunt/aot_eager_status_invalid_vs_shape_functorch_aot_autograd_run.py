import torch

def f(x0):
    v0 = torch.ops.aten.pixel_unshuffle.default(x0, 2)
    return v0

def run(f):
    x0 = torch.zeros([1, 0, 2]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([1, 0, 2])])
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
