import torch

def f(x0, x1):
    v0 = x1.neg()
    x0[()] = 1
    v1 = x0[6]
    return v1

def run(f):
    x0 = torch.zeros([10], dtype=torch.int64).as_strided([7], [1], 3)
    x1 = x0.detach().as_strided([], [], 9)
    r = [f(x0, x1)]
    return r[0].storage_offset()

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
