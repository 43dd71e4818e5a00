import torch

def f(x0, x1, x2):
    with torch.no_grad():
        v0 = torch.max_pool1d(x0, 3)
    v0.t_()
    v1 = v0.unsqueeze(1)
    v2 = v1.index_reduce_(1, x1, x2, 'amax')
    return None

def run(f):
    x0 = torch.zeros([9, 9])
    x1 = torch.zeros([0], dtype=torch.int64)
    x2 = torch.zeros([3, 0, 9]).requires_grad_()
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
