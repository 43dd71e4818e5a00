import torch

def f(x0, x1, x2):
    x0.scatter_reduce_(0, x1, x2, 'prod')
    x0.fill_(1)
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.ones([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
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
