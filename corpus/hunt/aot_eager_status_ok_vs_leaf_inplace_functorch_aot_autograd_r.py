import torch

def f(x0, x1, x2):
    v0 = x0.mul(x1)
    (v1,) = torch.autograd.grad([v0], [x0], grad_outputs=[x2], create_graph=True)
    return None

def run(f):
    x0 = torch.zeros([3]).as_strided([1, 2], [2, 2], 0).detach().requires_grad_()
    x1 = torch.zeros([1, 1, 1])
    x2 = torch.zeros([1, 1, 2]).requires_grad_()
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
