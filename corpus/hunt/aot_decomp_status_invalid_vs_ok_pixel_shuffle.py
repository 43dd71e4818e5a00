import torch

def f(x0):
    v0 = torch.ops.aten.pixel_shuffle.default(x0, 2)
    return v0

def run(f):
    x0 = torch.zeros([0, 2, 1]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([0, 4, 2])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
