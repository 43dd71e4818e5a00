import torch

def f(x0, x1):
    v1 = x0.view([2])
    v2 = x0.view([2])
    v3 = v1.view([2])
    v4 = v3.log()
    v5 = v3.log()
    v6 = v4.expand([-1])
    v7 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v6[v7] = x1
    return v1, v2, v4, v5

def run(f):
    x0 = torch.tensor([1.1015625, -0.2001953125], dtype=torch.bfloat16).as_strided([2], [1], 0).detach().requires_grad_()
    x1 = torch.tensor(0.0, dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1)
    torch.autograd.backward([r[0], r[1], r[2], r[3]], [torch.tensor([-1.25, 1.5], dtype=torch.bfloat16), torch.tensor([-1.5, 2.0], dtype=torch.bfloat16), torch.tensor([1.625, -1.0], dtype=torch.bfloat16), torch.tensor([-0.125, 0.375], dtype=torch.bfloat16)])
    x0 = torch.tensor([-0.2001953125, 1.0], dtype=torch.bfloat16).as_strided([2], [1], 0).detach().requires_grad_()
    x1 = torch.tensor(1.0, dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1)
    torch.autograd.backward([r[0], r[1], r[2], r[3]], [torch.tensor([-1.25, 1.5], dtype=torch.bfloat16), torch.tensor([-1.5, 2.0], dtype=torch.bfloat16), torch.tensor([1.625, -1.0], dtype=torch.bfloat16), torch.tensor([-0.125, 0.375], dtype=torch.bfloat16)])
    return r[2].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
