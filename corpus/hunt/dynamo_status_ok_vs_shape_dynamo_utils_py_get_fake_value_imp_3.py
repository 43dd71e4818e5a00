import torch

def f(x0, x1, x2):
    v0, v1, v2, v3 = torch.embedding_bag(x0, x1, x2, False, 0, False, None, True, 0)
    v4 = v3.matmul(v2)
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([5], dtype=torch.int64)
    x2 = torch.tensor([0, 5])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
