import torch

def f(x0, x1, x2):
    v0 = torch.ops.aten.index.Tensor(x0, [x2, x1])
    return v0

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([1], dtype=torch.int64)
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
