import torch

def _py_pack(value):
    return value.clone()
def _py_unpack(value):
    return value


def f(x0):
    v0 = torch.stack([x0, x0])
    v1 = v0.view([2, 2])
    with torch.autograd.graph.saved_tensors_hooks(_py_pack, _py_unpack):
        pass
    v2 = v1.detach_()
    return None

def run(f):
    x0 = torch.zeros([2]).requires_grad_()
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
