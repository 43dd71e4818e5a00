import torch

def f(x2, x3):
    v1 = x2.clip(max=x2)
    v11 = x2.swapdims(1, -2)
    v12 = v11.add(x3)
    torch.autograd.backward([v12], grad_tensors=[x3], create_graph=True)
    return v12

def run(f):
    x2 = torch.arange(8.0).reshape([2, 4]).requires_grad_()
    x3 = torch.tensor([[2.0, 1.5], [1.625, 2.0], [-2.0, 1.625], [0.0, -2.0]])
    r = [f(x2, x3)]
    return x2.grad.requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
