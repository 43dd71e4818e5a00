import torch

def f(x0):
    v0, v1 = torch.std_mean(x0, 0, correction=0)
    v2, v3 = torch.native_dropout(v1, 0.0, True)
    return v2, v1

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([])
    r = f(x0)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x0, r[0]]]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
