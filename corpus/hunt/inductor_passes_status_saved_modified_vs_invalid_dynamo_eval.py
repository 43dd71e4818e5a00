import torch

def f(x0, x1):
    v0 = x0.neg()
    v1 = v0.mH
    v2 = v0.detach()
    (v3,) = torch.autograd.grad([v1], [x0], grad_outputs=[v1])
    v4 = v2.float_power(1)
    v5, v6 = torch.ops.aten.adaptive_max_pool2d.default(x1, [1, 1])
    v6.zero_()
    return v5

def run(f):
    x0 = torch.zeros([1, 2]).requires_grad_()
    x1 = torch.zeros([1, 1, 1]).requires_grad_()
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
