import torch
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return -g
def f(x):
    y = x * 2
    return Reverse.apply(y), y
def show(f):
    f(x := torch.ones(2, requires_grad=True))[0].sum().backward()
    return x.grad.tolist()
