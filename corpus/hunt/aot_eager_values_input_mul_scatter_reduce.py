import torch

def f(x0, x1, x2, x3):
    x1.mul_(2.5)
    v0 = x0.scatter_reduce_(0, x2, x3, 'amax')
    return None

def run(f):
    x0 = torch.ones([996]).as_strided([63, 4], [16, 1], 0).detach()
    x1 = x0.detach().as_strided([1, 4], [16, 1], 99).detach()
    x2 = torch.zeros([7, 4], dtype=torch.int64)
    x3 = torch.zeros([7, 4])
    r = f(x0, x1, x2, x3)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
