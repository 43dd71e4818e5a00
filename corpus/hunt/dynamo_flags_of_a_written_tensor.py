import torch

def f(x0, x1, x2):
    seen = []
    torch.ops.aten.index_fill_.int_Tensor(x1, 0, x2, x0)
    seen.append(("requires_grad", x1.requires_grad))
    return seen,

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    return r[0]

compiled = torch.compile(f, backend="eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
