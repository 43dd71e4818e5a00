import torch

def f(x0, x1):
    v0 = torch.ops.aten.pixel_unshuffle.default(x0, 2)
    v1 = v0.expand([1, 1, 0, x1.size(0)])
    return None

def run(f):
    x0 = torch.zeros([1, 0, 2], dtype=torch.int64)
    x1 = torch.zeros([2], dtype=torch.int64)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
