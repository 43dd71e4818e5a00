import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(y := x.exp())
        return y
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0]
def f(x): return F.apply(x).mul_(3)
def show(f):
    f(x := torch.zeros(2, requires_grad=True)).sum().backward()
    return x.grad.tolist()
