import torch

def f(x0, x1):
    v0 = x0.t()
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v2, v3, v4, v5 = torch.embedding_bag(v0, v1, x1)
    return v3

def run(f):
    x0 = torch.zeros([1, 2])
    x1 = torch.zeros([1], dtype=torch.int64)
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
