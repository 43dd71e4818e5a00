import torch

import torch.utils.checkpoint


def f(x0, x1):
    def _py_block(x0):
        v0 = x0.movedim([], [])
        return (v0,)
    [v0] = torch.utils.checkpoint.checkpoint(_py_block, x0, use_reentrant=True)
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v0.put_(v1, x1)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
