import torch

import torch.utils.checkpoint


def f(x0, x1):
    def _py_block(x0, x1):
        v0, v1 = torch.meshgrid([x0, x1])
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x0, x1, use_reentrant=True)
    if v0.requires_grad:
        x0.zero_()
        v2 = torch.zeros([1, 1])
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1])])
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
