import torch

def f(x0, x1, x2):
    v0 = x2.addmm(x0, x1)
    torch.autograd.backward([v0], grad_tensors=[x2], create_graph=True)
    return v0

def run(f):
    x0 = torch.zeros([1, 1]).requires_grad_()
    x1 = torch.zeros([1, 0])
    x2 = torch.zeros([1, 0])
    r = [f(x0, x1, x2)]
    return x0.grad.requires_grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
