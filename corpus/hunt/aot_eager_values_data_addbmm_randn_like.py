import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2):
    v0 = x0.addbmm_(x1, x2)
    v1 = torch.randn_like(v0)
    return v1

def run(f):
    x0 = torch.zeros([4]).as_strided([2, 2], [1, 2], 0)
    x1 = torch.zeros([2, 2, 2])
    x2 = torch.zeros([2, 2, 2])
    torch.manual_seed(0)
    r = [f(x0, x1, x2)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
