import torch

def f(x0):
    v0 = torch.dropout(x0, 0.9, True)
    return None

def run(f):
    x0 = torch.zeros([0], dtype=torch.int64)
    torch.manual_seed(0)
    r = f(x0)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
