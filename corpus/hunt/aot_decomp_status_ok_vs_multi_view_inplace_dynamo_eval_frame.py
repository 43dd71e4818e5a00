import torch

def f(x0, x1):
    v0 = torch.ops.aten.selu.default(x1)
    v1 = torch.ops.aten.im2col.default(x0, [1, 1], [1, 1], [1, 0], [1, 1])
    v0.grad_fn is not None
    v1[()] = 1.0
    return None

def run(f):
    x0 = torch.zeros([1, 1, 1]).requires_grad_()
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
