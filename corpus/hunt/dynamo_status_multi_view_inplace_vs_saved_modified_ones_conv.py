import torch

import torch.utils.checkpoint


def f(x0, x1, x2, x3, x4, x5):
    def _py_block(x0, x1, x2):
        v0 = torch.ones([1])
        v1 = torch.conv_transpose3d(x0, x1, bias=x2)
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x0, x1, x2, use_reentrant=True)
    v2 = v1.gather(0, x3)
    v1.masked_fill_(x5, x4)
    return v2

def run(f):
    x0 = torch.zeros([1, 1, 1, 1])
    x1 = torch.zeros([1, 1, 1, 1, 1])
    x2 = torch.zeros([1]).requires_grad_()
    x3 = torch.zeros([0], dtype=torch.int64)
    x4 = torch.zeros([])
    x5 = torch.zeros([], dtype=torch.bool)
    r = [f(x0, x1, x2, x3, x4, x5)]
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
