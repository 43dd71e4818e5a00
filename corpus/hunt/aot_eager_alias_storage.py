import torch

class _fn_n15(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n6, n7):
        n8 = n6.mul_(2)
        return n8
    @staticmethod
    def backward(ctx, n11):
        return n11, None

def f(x0, x1):
    v0 = _fn_n15.apply(x0, x1)
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0, x1]]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
