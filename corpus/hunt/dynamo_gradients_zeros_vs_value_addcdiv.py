import torch

def f(x0, x1, x2):
    v0 = x2.addcdiv_(x0, x1, value=1)
    return v0

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.zeros([0])
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([0])])
    return x0.grad

compiled = torch.compile(f, backend="eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
