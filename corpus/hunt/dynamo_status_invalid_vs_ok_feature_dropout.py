import torch

import torch.utils.checkpoint


def f(x0, x1):
    def _py_block(x1, x0):
        v0 = x1.count_nonzero()
        v1 = x0.H
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x1, x0, use_reentrant=True)
    torch.feature_dropout_(v1, 1.0, True)
    return None

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
