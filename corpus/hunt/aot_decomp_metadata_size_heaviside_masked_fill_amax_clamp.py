import torch

def f(x0, x1, x2, x3, x4):
    v1 = x1.heaviside(x1)
    v1.masked_fill_(x1, x3)
    v2 = x4.amax(dim=[], keepdim=True)
    x2.clamp_(min=0, max=5)
    return v2, v1

def run(f):
    x0 = torch.tensor([False, True, True, True, True, True, True, True, True, True, True, True, True, True]).as_strided([1, 7, 2], [14, 2, 1], 0).detach()
    x1 = x0.detach().as_strided([1, 2, 7], [14, 1, 2], 0).detach()
    x2 = torch.tensor([[[28, 22, 28, 14, 16, 21, 30], [5, 18, 6, 21, 4, 10, 29]]], dtype=torch.uint8)
    x3 = torch.tensor(False)
    x4 = torch.tensor([True, True, False])
    r = f(x0, x1, x2, x3, x4)
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
