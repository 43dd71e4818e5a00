import torch

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x1.abs()
    v3 = v1.floor_divide(-1)
    v4 = x0.masked_fill(x2, x3)
    v5 = x0.copy_(x3)
    v6 = v5.scatter_reduce_(1, x5, x6, 'amax')
    v8 = v6.div(x3)
    v9 = x4.median()
    v10 = torch.ops.aten.softshrink.default(v8, lambd=0.5)
    v8.fill_(-0.75)
    v13 = torch.tensor([1], dtype=torch.int64).reshape([1]).clone()
    v10.index_fill_(1, v13, v9)
    return v3, v4, v10, v9

def run(f):
    x0 = torch.tensor([-1.75, -0.125, -2.0, 0.625, 0.125]).as_strided([1, 3, 1], [7, 2, 1], 0)
    x1 = torch.zeros([17, 8, 0, 8])
    x2 = torch.tensor([[[True]]])
    x3 = torch.tensor(-0.125).requires_grad_()
    x4 = torch.arange(2.0).requires_grad_()
    x5 = torch.tensor([[[2], [2], [2], [2]]])
    x6 = torch.tensor([[[1.1920928955078125e-07], [1.0], [1.1920928955078125e-07], [1.1920928955078125e-07]]])
    r = f(x0, x1, x2, x3, x4, x5, x6)
    torch.autograd.backward([r[1], r[2], r[3]], [torch.tensor([[[-1.5], [0.375], [1.875]]]), torch.tensor([[[1.25], [0.625], [-1.25]]]), torch.tensor(1.75)])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
