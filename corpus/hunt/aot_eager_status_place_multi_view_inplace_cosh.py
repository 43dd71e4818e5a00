import torch

def f(x0, v1, v2, v3, v4, v5, v7, v8):
    v1.cosh_()
    v9 = v5.t()
    v10 = v9.std([1, 0], correction=0, keepdim=True)
    v8.normal_(std=2.0)
    return v3, v10, v4, v2

def run(f):
    torch.manual_seed(79449)
    x0 = torch.tensor([0.0, 1.0], dtype=torch.float16).as_strided([2, 2048], [1, 0], 0).detach().requires_grad_()
    v1 = x0.add(0.0)
    v2, v3, v4, v5, v6, v7 = v1.split(357, dim=-1)
    v8 = v7.mul(2.0)
    r = f(x0, v1, v2, v3, v4, v5, v7, v8)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
