import torch

def f(x0):
    v0 = x0.permute([1, 2, 0])
    v1 = torch.tensor([0], dtype=torch.int64).reshape([1, 1, 1]).clone()
    v2 = v0.scatter(0, v1, 1.0)
    v3, v4 = torch.autograd.grad([v2], [x0, x0], grad_outputs=[v0], create_graph=True)
    v5, v6, v7, v8, v9, v10, v11, v12 = v3.split(13)
    v4.clip_(max=x0)
    return v5

def run(f):
    x0 = torch.zeros([92, 1, 1]).requires_grad_()
    r = [f(x0)]
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
