import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        return a0, b0
    @staticmethod
    def backward(ctx, g0, h0):
        if ctx.needs_input_grad[0]:
            p0 = g0.neg()
        else:
            p0 = g0.clone()
        if ctx.needs_input_grad[1]:
            q0 = h0.neg()
        else:
            q0 = h0.clone()
        return p0, q0

def f(x0, x1, x2, x3):
    v1, v2 = _fn_f0.apply(x0, x0)
    v3 = x1.log()
    v4 = x1[x2]
    x1.fill_(-2)
    v5 = v4.unfold(-1, 1, 3)
    v5[0:2] = x3
    v6 = x3.addcmul_(x3, x3, value=-1.5)
    v7 = x3[0:2, 1:1]
    return v4, x2, v3, v2, v1

def run(f):
    x0 = torch.tensor(1.875, dtype=torch.float16).requires_grad_()
    x1 = torch.tensor([0.11785888671875, -1.470703125], dtype=torch.float16)
    x2 = torch.tensor([1, 0])
    x3 = torch.tensor([[2.0]]).requires_grad_()
    with torch.no_grad():
        r = f(x0, x1, x2, x3)
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
