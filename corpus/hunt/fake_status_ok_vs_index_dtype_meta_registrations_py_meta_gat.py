import torch

def f(x0, x1):
    v0 = torch.ops.aten.cross_entropy_loss.default(x1, x0)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.uint8)
    x1 = torch.zeros([1])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
