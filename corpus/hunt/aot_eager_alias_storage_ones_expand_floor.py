import torch

def f():
    v0 = torch.ones([1, 1], dtype=torch.int16)
    v1 = v0.expand([1, 1, 0])
    torch.floor(v1, out=v1)
    return v1, v0

def run(f):
    r = f()
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [r[0]]]

compiled = torch.compile(f, backend="inductor", mode="lite")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
