import torch

class _fn_n14(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n5):
        n7 = n5.sign()
        ctx.save_for_backward(n5)
        return n7
    @staticmethod
    def backward(ctx, n10):
        [n5] = ctx.saved_tensors
        n12 = n10.neg()
        return n12

def f(x0, x1, x2):
    v0 = _fn_n14.apply(x0)
    with torch.no_grad():
        x0.addmv_(x1, x2)
    return v0

def run(f):
    x0 = torch.zeros([1]).requires_grad_()
    x1 = torch.zeros([1, 1])
    x2 = torch.zeros([1])
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
