import torch

def _fn_n6(n7):
    n8 = n7.square()
    return None

def f(x0, x1, x2):
    v0, v1 = torch.var_mean(x0)
    x1[()] = x2
    _hook0_x2 = x2.register_hook(_fn_n6)
    return v1

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
