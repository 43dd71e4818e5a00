import torch

def f(x0, x1, x2):
    seen = []
    v0 = torch.ops.aten.linalg_diagonal.default(x2, offset=1)
    v0.index_add_(0, x0, x1)
    seen.append(("has_grad_fn", x2.grad_fn is not None))
    return seen,

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([1, 0]).requires_grad_()
    x2 = torch.zeros([1, 1, 1])
    r = f(x0, x1, x2)
    return r[0]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
