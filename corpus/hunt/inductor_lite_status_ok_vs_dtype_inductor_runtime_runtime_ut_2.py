import torch

def f(x0, x1, x2, x3):
    v0 = torch.ops.aten.instance_norm.default(x3, None, x0, x1, x2, True, 0.125, 0.125, True)
    return v0

def run(f):
    x0 = torch.zeros([], dtype=torch.bfloat16)
    x1 = torch.zeros([1], dtype=torch.bfloat16)
    x2 = torch.zeros([1], dtype=torch.bfloat16)
    x3 = torch.zeros([1, 1, 2], dtype=torch.bfloat16)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
