import torch

def f(x0):
    v0 = torch.ops.aten.huber_loss.default(x0, x0)
    return v0

def run(f):
    x0 = torch.zeros([0]).requires_grad_()
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
