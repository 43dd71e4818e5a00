import torch

def f(x0, x1):
    v0 = x1.set_(x0, 0, [1])
    v1 = v0.unsqueeze(0)
    x0.fill_(1)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([])
    r = f(x0, x1)
    return x0._version > 0

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
