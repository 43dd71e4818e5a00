import torch

def f(x0, x1, x2):
    v0 = x0.detach()
    v0.index_copy_(0, x1, x2)
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1, x2)]
    return r[0].is_leaf

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
