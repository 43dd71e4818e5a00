import torch

def f(x2, v5):
    (v4,) = torch.autograd.grad([x2], [x2], grad_outputs=[x2])
    with torch.no_grad():
        v15 = v5[()]
    return v15

def run(f):
    x2 = torch.arange(1.0).reshape([]).requires_grad_()
    v5 = torch.tensor([0.5]).requires_grad_()
    r = [f(x2, v5)]
    return r[0].is_leaf

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
