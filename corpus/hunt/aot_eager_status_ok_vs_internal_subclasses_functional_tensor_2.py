import torch

def f(x0, x1, x2, x3):
    x1.div_(1.0, rounding_mode='trunc')
    v0 = x2.bmm(x3)
    v1 = torch.ones([])
    v1.set_(x1)
    v2 = v1.as_strided_([3, 1], [1, 1])
    return v2

def run(f):
    x0 = torch.zeros([7]).as_strided([], [], 0).detach()
    x1 = x0.detach().as_strided([7], [1], 0).detach()
    x2 = torch.zeros([9, 1, 1]).requires_grad_()
    x3 = torch.zeros([9, 1, 1])
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
