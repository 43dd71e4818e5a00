import torch

def _fn_n14(n15):
    n16 = n15.abs()
    return n16

def f(x0, x1):
    v0, v1 = torch.meshgrid([x1, x0], indexing='xy')
    _hook0_v1 = v1.register_hook(_fn_n14)
    return v1

def run(f):
    x0 = torch.zeros([2]).requires_grad_()
    x1 = torch.zeros([])
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.tensor([[1.5], [-1.875]])])
    return x0.grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
