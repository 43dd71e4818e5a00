import torch

def f(x0, x1, x2, x3):
    v0 = x0.mul(x1)
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v2 = v0.scatter(0, v1, 1.0)
    v2.swapdims_(0, 0)
    v3 = x2.unsqueeze_(0)
    v2.addmv_(x3, v0)
    return None

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([1], dtype=torch.bool)
    x2 = torch.zeros([1])
    x3 = torch.zeros([1, 1])
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
