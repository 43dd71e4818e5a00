import torch

def f(x0):
    v0, v1 = torch.adaptive_max_pool1d(x0, [1])
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v1.t_()
    return v0

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    r = [f(x0)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
