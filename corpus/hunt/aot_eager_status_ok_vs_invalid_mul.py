import torch

def _fn_n9(n10):
    n11 = n10.mul(2)
    return None

def f(x0, x1, x2, x3, x4):
    v0 = x0.addbmm(x1, x2)
    _hook0_x1 = x1.register_hook(_fn_n9)
    v1 = x4.mul(x3)
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1, 1, 1]).requires_grad_()
    x2 = torch.zeros([1, 1, 1])
    x3 = torch.zeros([]).requires_grad_()
    x4 = torch.zeros([])
    r = [f(x0, x1, x2, x3, x4)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
