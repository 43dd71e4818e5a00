import torch

def f(x0, x1, x2):
    v0 = x2.unsqueeze(0)
    x2.scatter_reduce_(1, x0, x1, 'sum')
    v0.clamp_min_(v0)
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1], dtype=torch.int64)
    x1 = torch.zeros([1, 1, 1]).requires_grad_()
    x2 = torch.zeros([1, 1, 1])
    r = [f(x0, x1, x2)]
    x1.grad = None
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
