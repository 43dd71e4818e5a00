import torch

def f(x0, x1):
    v0 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v1 = torch.ops.aten.index.Tensor(x1, [v0, x0])
    return v1

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([1, 1]).requires_grad_()
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
