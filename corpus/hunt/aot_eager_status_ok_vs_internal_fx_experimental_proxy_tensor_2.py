import torch

def _fn_n16(n17):
    n18 = n17.sum()
    return n18

def f(x0, x1):
    (v0,) = torch._foreach_add([x0], [x1])
    _hook0_v0 = v0.register_hook(_fn_n16)
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1]).requires_grad_()
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
