import torch

def f(x0, x1):
    v0 = torch.ops.aten.l1_loss.default(x1, x0)
    v1 = torch.ops.aten.celu_.default(v0, alpha=-2.0)
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
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
