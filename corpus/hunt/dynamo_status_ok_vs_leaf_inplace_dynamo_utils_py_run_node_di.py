import torch

def f(x0, x1, x2, x3):
    assert x0.is_contiguous()
    v1 = torch.ops.aten.atleast_1d.default(x0)
    v1.requires_grad_(requires_grad=False)
    v2 = torch.tensor([661], dtype=torch.int64).reshape([]).clone()
    v1.index_reduce_(1, v2, x1, 'amax')
    x2.requires_grad_()
    v1.div_(x3)
    return x3

def run(f):
    x0 = torch.arange(1003.0).as_strided([1, 1000], [1000, 1], 3).detach().requires_grad_()
    x1 = torch.tensor([-1.5]).as_strided([1, 1], [1, 1], 0).detach().requires_grad_()
    x2 = torch.zeros([17, 17, 0, 12])
    x3 = torch.arange(4.0).as_strided([1, 1], [1, 1], 3).detach().requires_grad_()
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.tensor([[0.75]])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
