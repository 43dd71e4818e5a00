import torch

def f():
    v0 = torch.eye(0, 500)
    return v0

def run(f):
    r = [f()]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
