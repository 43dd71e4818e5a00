import torch

def f(x0, x1, x2, v11):
    v1 = torch.triu_indices(2, 2, dtype=None)
    v2 = torch.triu_indices(2, 2, offset=0, dtype=None)
    v4 = x0.narrow(0, 4, 0)
    v5 = v4.roll(0, dims=[0])
    v6 = v5.mul(x1)
    v7 = v5.expand([2, 0])
    v8 = v7.roll(-2)
    v10 = v8.roll([4])
    return v1, v2, v10, v11, v6

def run(f):
    x0 = torch.tensor([0.625, 1.125, -1.75, -1.375], dtype=torch.float64)
    x1 = torch.tensor(0.0, dtype=torch.float64).requires_grad_()
    x2 = torch.tensor([1, 0, 0, 1])
    v11 = torch.zeros([2, 0], dtype=torch.float64)
    r = f(x0, x1, x2, v11)
    torch.autograd.backward([r[4]], [torch.zeros([0], dtype=torch.float64)])
    return [t.untyped_storage().data_ptr() == r[2].untyped_storage().data_ptr() for t in [x0, x1, x2, v11, r[0], r[1]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
