import torch

import torch.utils.checkpoint


def f(x0, x1):
    def _py_block(x1, x0):
        v0 = torch.ones([1])
        v1 = torch.ops.aten.tensordot.default(x1, x0, [1, 0], [0, 1])
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x1, x0, use_reentrant=True)
    v2 = v1.addcdiv_(v1, v1)
    return None

def run(f):
    x0 = torch.zeros([1, 0]).requires_grad_()
    x1 = torch.zeros([1, 1])
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
