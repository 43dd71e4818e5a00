import torch

def f(x0):
    v0 = x0.detach()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v1 = v0.clamp_min_(x0)
    return None

def run(f):
    x0 = torch.zeros([])
    r = f(x0)
    return x0._version > 0

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
