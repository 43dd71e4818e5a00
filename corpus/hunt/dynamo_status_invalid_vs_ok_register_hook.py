import torch

def _fn_n2(n3):
    return None

def f(x0):
    _hook0_x0 = x0.register_hook(_fn_n2)
    _hook0_x0.remove()
    v0 = torch.ones([1])
    return None

def run(f):
    x0 = torch.zeros([])
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
