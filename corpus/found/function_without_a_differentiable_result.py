import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(y := x.sign())
        return y
    @staticmethod
    def backward(ctx, g):
        return g

def f(x): return F.apply(x)

def show(f):
    return f(torch.ones(3, requires_grad=True)).tolist()
