import torch

def _py_disabled(function):
    return function()
if hasattr(torch, "_dynamo"):
    _py_disabled = torch._dynamo.disable(_py_disabled)


def f(x0, x1, x2):
    x2.index_reduce_(0, x1, x0, 'prod')
    _py_none = _py_disabled(lambda: x2.index_reduce_(0, x1, x0, 'prod'))
    return x2

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
