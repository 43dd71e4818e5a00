import torch
torch._inductor.config.fallback_random = True

def f(x0):
    v0 = x0.cumprod_(0)
    v1 = torch.randint_like(x0, 0, 5)
    return v1

def run(f):
    torch.manual_seed(0)
    x0 = torch.zeros([4], dtype=torch.int64).as_strided([2, 2], [1, 2], 0)
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="inductor", mode="lite")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
