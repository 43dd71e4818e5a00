import torch

def f(x0, x1, x2):
    v0, v1, v2, v3 = torch.embedding_bag(x0, x1, x2)
    v4 = v3.heaviside(v2)
    return v4

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([1], dtype=torch.int64)
    x2 = torch.zeros([1], dtype=torch.int32)
    r = [f(x0, x1, x2)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
