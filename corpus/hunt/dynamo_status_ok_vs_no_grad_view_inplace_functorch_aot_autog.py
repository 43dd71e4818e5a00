import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2, x3, x4):
    v0 = x0.div(x1, rounding_mode='trunc')
    v1, v2 = v0.cummax(0)
    v3 = x1.T
    v3.negative_()
    v4 = x3.repeat_interleave(x4)
    v5 = torch.where(x2, 1, v3)
    v6 = torch.feature_alpha_dropout(v5, 0.75, True)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.ones([2]).requires_grad_()
    x2 = torch.zeros([1, 1], dtype=torch.bool)
    x3 = torch.zeros([])
    x4 = torch.zeros([], dtype=torch.int64)
    torch.manual_seed(0)
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
