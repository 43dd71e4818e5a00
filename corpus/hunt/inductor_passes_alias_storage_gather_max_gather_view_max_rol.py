import torch

def f(x0, x1, x2):
    v1 = x0.gather(0, x1)
    v2, v3 = x0.max(0)
    v4, v5 = x0.max(0)
    v6 = x0.gather(-1, x2)
    v7 = v5.view([])
    v8, v9 = v7.max(0)
    v10 = x1.roll([4], dims=[0])
    v11 = torch.tensor([0, 0, 1], dtype=torch.int64).reshape([3]).clone()
    v12 = v10.gather(0, v11)
    return v6, v9, v12, v8, v4, v3, v2, v1

def run(f):
    x0 = torch.tensor([1.55859375, 1.4462890625, -1.796875, -1.05859375, -0.2425537109375, -1.279296875, 1.9794921875, -0.486572265625, 0.1259765625], dtype=torch.float16).as_strided([5], [1], 4).detach().requires_grad_()
    x1 = torch.tensor([4, 1])
    x2 = torch.tensor([4, 3, 0, 1, 0, 2, 0])
    r = f(x0, x1, x2)
    torch.autograd.backward([r[0], r[4], r[6], r[7]], [torch.tensor([-0.625, 0.25, -1.875, -1.625, -0.75, -1.5, -0.875], dtype=torch.float16), torch.tensor(-2.0, dtype=torch.float16), torch.tensor(-1.0, dtype=torch.float16), torch.tensor([1.25, -0.875], dtype=torch.float16)])
    return [t.untyped_storage().data_ptr() == r[6].untyped_storage().data_ptr() for t in [x0, x1, x2, r[0], r[1], r[2], r[3], r[4], r[5]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
