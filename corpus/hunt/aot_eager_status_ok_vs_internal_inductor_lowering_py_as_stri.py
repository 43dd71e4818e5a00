import torch

def f(x0):
    v0 = x0.as_strided([1, 2], [1, 4])
    x0.zero_()
    return v0

def run(f):
    x0 = torch.zeros([5], dtype=torch.int64).as_strided([3], [2], 0)
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
