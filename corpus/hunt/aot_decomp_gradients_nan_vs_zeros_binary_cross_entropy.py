import torch

def f(x0, x1, x2):
    v0 = torch.ops.aten.binary_cross_entropy.default(x0, x2)
    return x1, v0

def run(f):
    x0 = torch.zeros([2], dtype=torch.float16).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.tensor([0.0, 1.0], dtype=torch.float16)
    r = f(x0, x1, x2)
    torch.autograd.backward([r[1]], [torch.tensor(0.0, dtype=torch.float16)])
    return x0.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
