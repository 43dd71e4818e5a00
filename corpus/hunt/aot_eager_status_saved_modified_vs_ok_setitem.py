import torch

import torch.utils.checkpoint


def f(x0, x1, x2):
    def _py_block(x2, x0, x1):
        v0 = torch.ops.aten.mse_loss.default(x1, x0)
        v1 = x2.mul(1.0)
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x2, x0, x1, use_reentrant=False)
    x2[()] = v0
    return x2

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
