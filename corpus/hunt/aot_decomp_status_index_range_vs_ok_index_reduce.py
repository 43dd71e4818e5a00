import torch

def f(x0, x1, x2):
    v0 = x0.index_reduce_(1, x1, x2, 'mean')
    return None

def run(f):
    x0 = torch.zeros([1, 1], dtype=torch.int32)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([1, 1], dtype=torch.int32)
    r = f(x0, x1, x2)
    x0 = torch.zeros([1, 4], dtype=torch.int32)
    x1 = torch.tensor(-4)
    x2 = torch.zeros([1, 1], dtype=torch.int32)
    with torch.no_grad():
        r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
