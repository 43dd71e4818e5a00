import torch

def f(x0):
    v0 = x0.expand([x0.size(2), x0.size(1), x0.size(2)])
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1])
    r = [f(x0)]
    x0 = torch.zeros([1]).as_strided([1, 1, 2], [2, 1, 0], 0).detach().requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.tensor([[[0.5, 1.5]], [[-1.0, -0.75]]])])
    return x0.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
