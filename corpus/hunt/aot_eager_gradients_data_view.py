import torch

def _fn_n2(n3):
    n4 = n3.mul(2)
    return n4

def f(x0):
    v0 = x0.view([1])
    _hook0_v0 = v0.register_hook(_fn_n2)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return x0.grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
