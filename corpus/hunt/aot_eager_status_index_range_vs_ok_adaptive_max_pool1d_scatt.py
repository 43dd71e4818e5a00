import torch

def f(x0, x1):
    v0, v1 = torch.adaptive_max_pool1d(x0, [1])
    v1.scatter_(0, x1, x1, reduce='multiply')
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.ones([1, 1], dtype=torch.int64)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
