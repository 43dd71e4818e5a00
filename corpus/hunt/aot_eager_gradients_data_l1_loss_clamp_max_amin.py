import torch

def f(x0, x1, x2, x3, x4, x5, v9, v7, v6, v3, v2, v1):
    v4 = torch.ops.aten.l1_loss.default(x5, x4)
    x4.clamp_max_(1.0)
    v8 = v4.amin(dim=[])
    return v8, v2

def run(f):
    x0 = torch.tensor([-1.625, -0.75, 1.0, 1.625, -0.5, 1.75, -0.5, 0.875, -0.375, 1.75, -1.25, 2.0]).as_strided([3, 3, 1], [3, 1, 1], 3).detach().requires_grad_()
    x1 = torch.tensor([[[2.0]]]).requires_grad_()
    x2 = torch.tensor([[-1.0], [2.0], [-1.5]]).requires_grad_()
    x3 = torch.ones([3]).as_strided([1, 3, 1], [1, 1, 1], 0).detach().requires_grad_()
    x4 = torch.tensor([1.2998046875], dtype=torch.float16)
    x5 = torch.tensor([[[1.125]]]).requires_grad_()
    v9 = torch.tensor(4)
    v7 = torch.tensor([[[0.5], [0.375], [-2.0]]]).requires_grad_()
    v6 = torch.tensor(4)
    v3 = torch.tensor([0.5]).requires_grad_()
    v2 = torch.tensor([[0.5], [0.375], [-2.0]]).requires_grad_()
    v1 = torch.tensor([[0.5], [0.375], [-2.0]]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, v9, v7, v6, v3, v2, v1)
    torch.autograd.backward([r[0], r[1]], [torch.tensor(0.75), torch.tensor([[-0.25], [0.375], [1.625]])])
    return x5.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
