import torch

import torch.utils.checkpoint


def f(x0, x1, x2):
    v0 = x0.scatter(0, x1, x2, reduce='multiply')
    def _py_block(v0):
        v1 = v0.t()
        v2 = torch.ones([])
        return (v1, v2,)
    [v1, v2] = torch.utils.checkpoint.checkpoint(_py_block, v0, use_reentrant=True)
    return v2

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
