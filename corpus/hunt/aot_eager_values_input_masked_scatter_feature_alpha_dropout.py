import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2):
    x0.masked_scatter_(x1, x0)
    torch.feature_alpha_dropout_(x2, 0.5, False)
    return None

def run(f):
    x0 = torch.arange(3)
    x1 = torch.tensor([False, True, True])
    x2 = torch.zeros([], dtype=torch.int64)
    torch.manual_seed(0)
    r = f(x0, x1, x2)
    return x0

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
