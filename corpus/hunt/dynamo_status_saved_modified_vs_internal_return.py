import torch

import collections


class _fn_n14(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n5, n6):
        n7 = n5.mul_(2)
        ctx.save_for_backward(n6)
        return n7
    @staticmethod
    def backward(ctx, n10):
        [n6] = ctx.saved_tensors
        return n10, None

def f(x0, x1, x2):
    v0 = x1.neg()
    v1 = _fn_n14.apply(x2, v0)
    v0.fix_()
    _py_x = collections.deque([None], maxlen=1)
    _py_x.append(x0.nonzero())
    v2 = _py_x[0]
    v3 = torch.ones([1])
    return v2, v1

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([])
    r = f(x0, x1, x2)
    torch.autograd.backward([r[1]], [torch.ones([])])
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
