import torch

def f(x0):
    x0.zero_()
    v0 = torch.ops.aten.as_strided_copy.default(x0, [3], [4])
    return v0

def run(f):
    x0 = torch.zeros([9]).as_strided([5], [2], 0)
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
