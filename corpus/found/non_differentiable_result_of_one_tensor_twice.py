import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.mark_non_differentiable(y := a - b)
        return y, a * 3
    @staticmethod
    def backward(ctx, g, h): return g * 5 + h, None
def f(x): return sum(F.apply(x, x))
def show(f):
    f(x := torch.ones(2, requires_grad=True)).sum().backward()
    return x.grad.tolist()
