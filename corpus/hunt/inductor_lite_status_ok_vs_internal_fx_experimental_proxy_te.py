import torch

def f(x0, x1, x2, x3):
    v1 = torch.ops.aten.alias.default(x0)
    x1.addcmul_(x2, x1, value=0)
    v2 = x0.view([])
    v3 = x1.unfold(-1, 1, 1)
    v4 = v1.view([-1])
    v5 = x2.unfold(-1, 1, 2)
    v5.logical_xor_(x3)
    return v2

def run(f):
    x0 = torch.tensor([-0.625], dtype=torch.float16).as_strided([1], [1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([1], [1], 0).detach()
    x2 = torch.tensor([4], dtype=torch.int32).as_strided([1], [0], 0)
    x3 = torch.tensor([-16, 10, -9, -12, -5, 5], dtype=torch.int32).as_strided([1], [1], 5)
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.tensor(1.125, dtype=torch.float16)])
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
