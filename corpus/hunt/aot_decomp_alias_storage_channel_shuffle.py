import torch

def f(x0):
    v0 = torch.ops.aten.channel_shuffle.default(x0, 1)
    return v0

def run(f):
    x0 = torch.zeros([1, 1, 1])
    r = [f(x0)]
    return [t.untyped_storage().data_ptr() == r[0].untyped_storage().data_ptr() for t in [x0]]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
