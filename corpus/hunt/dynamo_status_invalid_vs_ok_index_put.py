import torch

class _fn_n18(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n9):
        return n9
    @staticmethod
    def backward(ctx, n14):
        n16 = n14.mul(2)
        return n16

def f(x0, x1, x2):
    v0 = _fn_n18.apply(x2)
    torch.ops.aten.index_put_.default(x2, [x1], x0)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([1])
    r = [f(x0, x1, x2)]
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
