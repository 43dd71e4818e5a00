import torch

def _fn_n14(n15):
    return None

def f(x0, x1):
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    _hook0_x0 = x0.register_hook(_fn_n14)
    v0 = x1.neg()
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
