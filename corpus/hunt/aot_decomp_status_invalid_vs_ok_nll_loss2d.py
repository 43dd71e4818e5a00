import torch

def f(x0, x1):
    v0 = torch.ops.aten.nll_loss2d.default(x0, x1)
    return v0

def run(f):
    x0 = torch.zeros([4]).as_strided([1, 2, 2, 1], [2, 1, 2, 2], 0).detach().requires_grad_()
    x1 = torch.zeros([1, 2, 1], dtype=torch.int64)
    r = [f(x0, x1)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
