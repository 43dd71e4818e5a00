import torch

def f(x0, x1):
    v0 = torch.adaptive_avg_pool1d(x0, [1])
    v0[5::3] = x1
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v0.negative_()
    return None

def run(f):
    x0 = torch.zeros([1, 1])
    x1 = torch.zeros([]).requires_grad_()
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
