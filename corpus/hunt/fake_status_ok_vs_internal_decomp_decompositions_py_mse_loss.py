import torch

def f(x0, x1):
    v0 = torch.ops.aten.mse_loss.default(x1, x0)
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([0])
    r = [f(x0, x1)]
    x0 = torch.zeros([])
    x1 = torch.zeros([0]).requires_grad_()
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
