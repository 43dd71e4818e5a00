import torch

def f(x0, x1, x2, x3):
    v0, v1, v2, v3 = torch.embedding_bag(x0, x1, x2)
    v1.masked_scatter_(x3, x1)
    return v0

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    x1 = torch.zeros([1], dtype=torch.int64)
    x2 = torch.zeros([1], dtype=torch.int32)
    x3 = torch.zeros([], dtype=torch.bool)
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1])])
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
