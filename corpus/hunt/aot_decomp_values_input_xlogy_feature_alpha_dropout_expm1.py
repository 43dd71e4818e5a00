import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2):
    x1.xlogy_(x0)
    torch.feature_alpha_dropout_(x2, 0.5, True)
    x1.expm1_()
    return None

def run(f):
    x0 = torch.tensor(0.361328125, dtype=torch.float16)
    x1 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], dtype=torch.float16)
    x2 = torch.zeros([1, 1], dtype=torch.float16)
    torch.manual_seed(0)
    r = f(x0, x1, x2)
    return x1

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
