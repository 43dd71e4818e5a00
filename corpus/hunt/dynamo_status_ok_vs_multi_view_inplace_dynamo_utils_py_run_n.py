import torch

class _fn_n13(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n4, n5):
        n6 = n4.mul(n5)
        ctx.mark_non_differentiable(n5)
        return n6, n5
    @staticmethod
    def backward(ctx, n9, n10):
        return n10, None

def f(x0, x1):
    v0, v1 = _fn_n13.apply(x1, x0)
    v2 = v1.triu_()
    return v2

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
