import torch

class _fn_n27(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n14, n15):
        n16 = n14.mul(2)
        n17 = n14.mul(3)
        ctx.set_materialize_grads(False)
        return n16, n17
    @staticmethod
    def backward(ctx, n19, n20):
        return n19, n20

def f(x0, x1):
    v0, v1 = _fn_n27.apply(x1, x0)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return x0.grad

compiled = torch.compile(f, backend="eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
