import torch

def f(x0, x1, x2, x3):
    v0 = x0.neg()
    v1 = v0.nonzero()
    torch.ops.aten.leaky_relu_.default(v0, negative_slope=-1.5)
    torch.eq(x1, 1, out=x2)
    v0.mul_(1)
    v2 = x3.add(1)
    return v2

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([1], dtype=torch.bool)
    x3 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
