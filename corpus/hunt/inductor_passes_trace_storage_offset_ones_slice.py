import torch

def f():
    seen = []
    v0 = torch.ones([1, 1, 1])
    v1 = torch.ops.aten.slice.Tensor(v0, start=1)
    seen.append(("storage_offset", v1.storage_offset()))
    return seen,

def run(f):
    r = f()
    return r[0]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
