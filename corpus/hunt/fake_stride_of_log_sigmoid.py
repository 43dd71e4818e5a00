import torch

def f(x0):
    v0 = torch.ops.aten.log_sigmoid.default(x0)
    return v0

def run(f):
    x0 = torch.zeros([4]).as_strided([2, 2], [1, 2], 0)
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
