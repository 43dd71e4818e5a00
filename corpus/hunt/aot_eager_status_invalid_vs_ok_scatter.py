import torch

def f(x0, x1, x2):
    (v0,) = torch.ops.aten.atleast_3d.Sequence([x2])
    v1 = v0.scatter_(0, x0, x1, reduce='add')
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1], dtype=torch.int64)
    x1 = torch.zeros([1, 1, 1]).requires_grad_()
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
