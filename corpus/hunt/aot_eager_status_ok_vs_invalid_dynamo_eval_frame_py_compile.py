import torch

def f(x0):
    v0 = x0.clone()
    v1 = v0.clone()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    (v2,) = torch.autograd.grad([v1], [v0])
    return None

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
