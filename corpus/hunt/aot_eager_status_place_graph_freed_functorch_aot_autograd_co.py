import torch

def f(x0, x1, x2):
    v0, v1 = x2.chunk(2)
    v2 = x1.mul(1.0)
    torch.autograd.backward([v2])
    torch.autograd.backward([v0], grad_tensors=[x0])
    return v2

def run(f):
    x0 = torch.zeros([2])
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([3]).requires_grad_()
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
