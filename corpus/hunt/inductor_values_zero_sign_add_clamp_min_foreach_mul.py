import torch

def f(x0, x1, x2):
    v0 = x0.add(x1)
    v0.clamp_min_(-0.0)
    (v2,) = torch._foreach_mul([v0], [x2])
    return v2

def run(f):
    x0 = torch.tensor([-1.3984375, -0.2001953125, 0.8984375, -1.6015625, -0.400390625, 0.69921875], dtype=torch.bfloat16).as_strided([1, 6], [6, 1], 0)
    x1 = torch.tensor([[-1.3984375], [-0.6015625], [-0.10009765625], [-1.296875], [0.0], [-0.69921875]], dtype=torch.bfloat16).requires_grad_()
    x2 = torch.ones([1])
    r = [f(x0, x1, x2)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
