import torch

class _fn_n9(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n0, n1):
        n2 = n0.clamp(min=-1, max=1)
        n3 = n0.mul(3)
        ctx.mark_non_differentiable(n3)
        ctx.save_for_backward(n1)
        return n2, n3
    @staticmethod
    def backward(ctx, n5, n6):
        [n1] = ctx.saved_tensors
        n7 = n5.add(n6)
        n8 = n1.mul(n5)
        return n7, n8

def f(x0):
    v0, v1 = _fn_n9.apply(x0, x0)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    return r[0].requires_grad

compiled = torch.compile(f, backend="eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
