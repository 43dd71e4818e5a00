import torch

def f(x0, x1, x2, x3, x4):
    x1.masked_fill_(x2, x3)
    x1.masked_fill_(x2, x3)
    v1 = x1.min()
    v2 = x0.reciprocal()
    v3 = x0.reciprocal()
    v4 = v3.reciprocal()
    v5 = v3.nonzero()
    v6 = v1.isnan()
    v1.copy_(x3)
    v7 = x4.remainder(0)
    return x1, v2, v3, v6, v5, v4

def run(f):
    x0 = torch.tensor([-1.375, -0.375, -1.5, 1.125, -0.375, 2.0, -1.75, 1.875, 1.875, -0.625, 0.125, 0.375, -1.25, -1.625, -1.25, -1.125, 0.75, 0.5], dtype=torch.bfloat16).as_strided([3, 3, 2, 1], [6, 1, 3, 3], 0).detach().requires_grad_()
    x1 = torch.tensor([0.625, -0.625, -0.375, 2.0, -0.75, -1.375, 1.75, 1.375, -1.75, 1.75, 1.25, 1.625, 1.875, -1.375, -1.5, -0.375, 1.5, -0.625, -0.125, -0.25, 1.875, 1.25, -0.5, -0.75, -0.375, -0.125, -1.0, 0.75, -1.25, -0.375, 0.25, 1.25], dtype=torch.bfloat16).as_strided([32, 2], [1, 0], 0)
    x2 = torch.tensor([[True, False], [True, False], [False, False], [True, True], [True, False], [True, True], [True, True], [False, False], [True, False], [False, False], [True, True], [True, False], [True, False], [True, True], [False, True], [True, False], [True, False], [False, True], [False, False], [True, False], [False, True], [True, False], [True, False], [True, False], [True, True], [True, True], [False, False], [False, False], [False, True], [True, True], [True, False], [False, True]])
    x3 = torch.tensor(1.5, dtype=torch.bfloat16).requires_grad_()
    x4 = torch.tensor([-13, 7]).as_strided([3], [0], 1)
    r = f(x0, x1, x2, x3, x4)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
