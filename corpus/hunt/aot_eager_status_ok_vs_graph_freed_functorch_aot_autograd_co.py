import torch

def f(x0, x1, x2, v1):
    x1.addcmul_(v1, x2)
    v2 = x0.trace()
    return v2

def run(f):
    x0 = torch.tensor([[0.5]]).requires_grad_()
    x1 = torch.tensor([[[-0.375]]])
    x2 = torch.tensor([[[-0.800000011920929]]]).requires_grad_()
    v1 = torch.tensor([0.5])
    r = [f(x0, x1, x2, v1)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    x0.grad = None
    x2.grad = None
    r = [f(x0, x1, x2, v1)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
