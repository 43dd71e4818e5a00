import torch

class _fn_n21(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n15, n16):
        return n15
    @staticmethod
    def backward(ctx, n6):
        n7 = n6.clamp(min=-0.5, max=0.5)
        if ctx.needs_input_grad[1]:
            pass
        else:
            n20 = n6.clone()
        return n7, n20

def f(x0, x1):
    v0 = x0.amax()
    v1 = _fn_n21.apply(v0, x1)
    return v1, v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    r = f(x0, x1)
    torch.autograd.backward([r[0], r[1]], [torch.ones([]), torch.ones([])])
    return x0.grad

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
