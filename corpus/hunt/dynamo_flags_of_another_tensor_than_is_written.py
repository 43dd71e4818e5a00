import torch

def f(x0, x1):
    seen = []
    v0 = torch.ops.aten.atleast_2d.default(x1)
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1, 1]).clone()
    v0.scatter_add_(0, v1, x0)
    seen.append(("requires_grad", x1.requires_grad))
    return seen,

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    x1 = torch.zeros([])
    r = f(x0, x1)
    return r[0]

compiled = torch.compile(f, backend="eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
