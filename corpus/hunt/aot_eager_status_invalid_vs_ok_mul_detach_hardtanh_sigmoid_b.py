import torch

def f(v1, v2, x3, x4, v3):
    torch.ops.aten.hardtanh_.default(v1)
    v5 = v3.sigmoid()
    v6 = torch.ops.aten.binary_cross_entropy.default(v5, x3)
    return None

def run(f):
    x2 = torch.zeros([]).requires_grad_()
    x3 = torch.tensor(-1.25)
    x4 = torch.zeros([])
    v3 = torch.zeros([])
    v1 = x2.mul(x2)
    v2 = v1.detach()
    r = f(v1, v2, x3, x4, v3)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
