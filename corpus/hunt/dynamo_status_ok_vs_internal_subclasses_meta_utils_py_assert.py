import torch

def f(v0, x2, x0, x1):
    v1 = x2.put_(x1, x0)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([])
    v0 = torch.ops.aten.alias.default(x2)
    r = [f(v0, x2, x0, x1)]
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
