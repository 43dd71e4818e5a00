import torch

class _fn_n9(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n0, n1):
        n2 = n0.square()
        n3 = torch.ops.aten.alias.default(n0)
        ctx.mark_non_differentiable(n3)
        return n2, n3
    @staticmethod
    def backward(ctx, n5, n6):
        return None, n5

def f(x0):
    v0, v1 = _fn_n9.apply(x0, x0)
    return v1

def run(f):
    x0 = torch.zeros([])
    r = [f(x0)]
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
