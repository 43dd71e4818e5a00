import torch

def f(x0, x1, x2):
    v0 = torch.tensor([0, 0, 0, 0, 0, 0], dtype=torch.int64).reshape([6]).clone()
    v1, v2, v3, v4 = torch.embedding_bag(x0, v0, x1, True, 0, False, x2, True, None)
    v5 = v4.mul_(x1)
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.tensor([0, 0, 0, 6])
    x2 = torch.zeros([6])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
