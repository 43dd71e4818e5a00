import torch

class _fn_n11(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n2, n3):
        n4 = n2.mul(3)
        ctx.mark_non_differentiable(n3)
        return n4, n3
    @staticmethod
    def backward(ctx, n7, n8):
        return None, n8

def f(x0, x1):
    v0, v1 = _fn_n11.apply(x0, x1)
    assert v1.is_leaf
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
