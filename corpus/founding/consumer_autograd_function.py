"""an autograd.Function reads requires_grad of what was written through a view"""
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, m):
        return m * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def program(x):
    m = torch.zeros(4)
    m.view(4).add_(x)
    y = Double.apply(m)
    return y, y.requires_grad
