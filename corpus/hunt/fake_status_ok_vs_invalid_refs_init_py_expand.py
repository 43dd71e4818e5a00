import torch

def f(x0):
    v0 = torch.ops.aten.unfold_copy.default(x0, 0, 1, 1)
    v1 = v0.broadcast_to([1, 1, 1])
    v0.unsqueeze_(0)
    v1.unsqueeze_(0)
    return v1

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
