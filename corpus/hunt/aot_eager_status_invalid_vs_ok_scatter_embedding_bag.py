import torch

def f(x0, x1, x2, x3, x4, x5):
    v0 = x0.scatter(0, x1, x2, reduce='multiply')
    v1, v2, v3, v4 = torch.embedding_bag(x5, x3, x4)
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([1, 1], dtype=torch.int64)
    x2 = torch.zeros([1, 1]).requires_grad_()
    x3 = torch.zeros([], dtype=torch.int64)
    x4 = torch.zeros([1], dtype=torch.int64)
    x5 = torch.zeros([1, 1])
    r = f(x0, x1, x2, x3, x4, x5)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
