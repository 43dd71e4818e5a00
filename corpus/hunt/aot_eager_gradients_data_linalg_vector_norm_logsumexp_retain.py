import torch

def f(x0):
    v0 = torch.ops.aten.linalg_vector_norm.default(x0, dim=[0])
    v1 = v0.logsumexp(1)
    v0.retain_grad()
    return v0, v1

def run(f):
    x0 = torch.zeros([1, 1, 1]).requires_grad_()
    r = f(x0)
    torch.autograd.backward([r[0], r[1]], [torch.ones([1, 1]), torch.ones([1])])
    return r[0].grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
