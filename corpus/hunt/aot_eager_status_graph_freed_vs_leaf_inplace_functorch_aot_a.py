import torch

def f(x0):
    v0 = x0.softmax(0)
    return v0

def run(f):
    x0 = torch.zeros([1]).as_strided([1], [2], 0).detach().requires_grad_()
    r = [f(x0)]
    v0, = r
    (v1,) = torch.autograd.grad([v0], [x0], grad_outputs=[x0], retain_graph=False, create_graph=True)
    torch.autograd.backward([r[0]], [torch.ones([1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
