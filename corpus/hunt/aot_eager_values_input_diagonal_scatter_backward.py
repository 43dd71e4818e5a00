import torch

def f(x0, x1):
    v0 = x0.diagonal_scatter(x1, dim1=1, dim2=0)
    torch.autograd.backward([v0], grad_tensors=[x0], retain_graph=True)
    return v0

def run(f):
    x0 = torch.zeros([2]).as_strided([2, 2], [0, 1], 0)
    x1 = torch.zeros([2]).requires_grad_()
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([2, 2])])
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
