import torch

def f(x0, x1):
    v0 = torch.randn([2, 2])
    v1 = v0.transpose(0, 1)
    v2 = v1.masked_scatter_(x0, x1)
    return v0, v1

def run(f):
    x0 = torch.zeros([2], dtype=torch.bool)
    x1 = torch.zeros([2])
    torch.manual_seed(0)
    r = f(x0, x1)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
