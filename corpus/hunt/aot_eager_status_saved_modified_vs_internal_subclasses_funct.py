import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.add_(b0)
        ctx.mark_dirty(a0)
        ctx.save_for_backward(b0, y0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [b0, y0] = ctx.saved_tensors
        p0 = b0.mul(g0)
        q0 = b0.mul(g0)
        return p0, q0

def f(x0, x1, x2):
    v1 = x0.expand_as(x0)
    torch.ops.aten.selu_.default(x0)
    v2 = _fn_f0.apply(v1, x1)
    v2.lerp_(v1, 2.5)
    x0.fill_(2)
    v4 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v5 = torch.ones([], dtype=torch.bfloat16)
    torch.ops.aten.index_put_.default(v2, [v4, v4, v4], v5)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        v5.hypot_(x2)
        v6 = v5.rsqrt()
    v5 = v2.log_softmax(-3)
    v4.round_()
    return v5, v1

def run(f):
    x0 = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], dtype=torch.bfloat16).as_strided([1, 2, 2], [4, 2, 1], 2)
    x1 = torch.tensor([[[0.0, 1.0], [2.0, 3.0]]], dtype=torch.bfloat16).requires_grad_()
    x2 = torch.tensor(0, dtype=torch.int16)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
