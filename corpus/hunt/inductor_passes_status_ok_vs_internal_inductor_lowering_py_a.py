import torch

def f(x0):
    v0 = torch.ops.aten.avg_pool3d.default(x0, [1, 1, 1], padding=[0])
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1, 1]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
