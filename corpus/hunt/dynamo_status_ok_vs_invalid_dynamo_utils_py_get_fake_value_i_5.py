import torch

def f(x0, x1, x2):
    v0, v1, v2, v3 = torch.embedding_bag(x2, x0, x1, False, 0, False, None, False, None)
    return None

def run(f):
    x0 = torch.zeros([1], dtype=torch.int16)
    x1 = torch.zeros([1], dtype=torch.int64)
    x2 = torch.zeros([1, 1])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
