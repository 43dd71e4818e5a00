import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x * x
    @staticmethod
    def backward(ctx, g): return 2 * g * ctx.saved_tensors[0]
def f(x): return F.apply(x)
def show(f):
    y = f(x := torch.ones(2, requires_grad=True))
    d, = torch.autograd.grad(y.sum(), x, create_graph=True)
    (y + d * x).sum().backward(); return x.grad.tolist()
