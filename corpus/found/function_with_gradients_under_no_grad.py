import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
def f(x): return F.apply(x)
def show(f):
    with torch.no_grad(): return f(torch.ones(2, requires_grad=True)).requires_grad
