import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.sum()
        ctx.mark_non_differentiable(y0)
        ctx.save_for_backward(a0, y0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [a0, y0] = ctx.saved_tensors
        t0 = g0.expand([15, 1])
        p0 = t0.mul(2)
        t0 = g0.expand([15, 1])
        q0 = t0.neg()
        return p0, q0

def f(x0, x1, x2, x3):
    v1 = x0.abs()
    v2 = v1.add(3)
    v3 = x1.abs()
    v4 = v3.add(2)
    v5 = x2.abs()
    v6 = v5.add(3)
    v7 = v2.clamp_max(2)
    v8 = v2.clamp_max(2)
    v9 = v4.clamp_max(4)
    v10 = v8.clamp_max(2.5)
    v11 = v8.clamp_max(2.5)
    if not (v7.is_contiguous()):
        v12 = v8.transpose(1, 0)
        v13 = torch.full_like(v12, 5)
        v14 = v9.clamp_max(0.125)
    v15 = v8.clamp_max(2.5)
    v16, v17 = torch._foreach_sigmoid([v15, v11])
    v18 = _fn_f0.apply(v16, x3)
    v19 = v17.clamp_max(1.5)
    return v7, v8, v10, v11, v19, v18, v6

def run(f):
    x0 = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [1e+01], [11.0], [12.0], [13.0], [14.0]], dtype=torch.float16).requires_grad_()
    x1 = torch.tensor([float('-inf'), -0.0, -1.0, 0.5, -0.0, 0.5, float('-inf'), -1.0, -0.0, 1.0, 6.103515625e-05, float('inf'), -1.0, -1.0, 65504.0, float('nan'), -2.0, 0.0, 0.5, 1.0, float('-inf'), float('inf'), float('inf'), 6.103515625e-05, 0.5, 6.103515625e-05, 65504.0, 0.5, 0.5, float('-inf'), float('-inf'), float('nan'), float('inf'), 6.103515625e-05, -0.0, 6.103515625e-05, -0.0, 0.0, float('inf'), float('-inf'), float('inf'), float('inf'), 6.103515625e-05, 0.0009765625, 65504.0, 6.103515625e-05, -1.0, 0.5, 6.103515625e-05, 0.0, float('-inf'), 0.0, float('-inf'), 0.0009765625, -2.0, 1.0, -1.0, 1.0, -2.0, float('nan'), 1.0, 6.103515625e-05, float('-inf'), 0.5, 0.0009765625, 65504.0], dtype=torch.float16).as_strided([65], [1], 1)
    x2 = torch.tensor(-0.625, dtype=torch.float16).requires_grad_()
    x3 = torch.tensor([0.0, 65504.0, 0.0, 0.0, float('inf'), -0.0, 0.0009765625, 1.0, float('inf'), 0.5, 0.0, -1.0, 1.0, 0.0009765625, 0.0, -2.0, float('nan')], dtype=torch.float16).as_strided([15, 1], [1, 1], 2).detach().requires_grad_()
    r = f(x0, x1, x2, x3)
    v7, v8, v10, v11, v19, v18, v6, = r
    v20, v21, v22 = torch.autograd.grad([v19], [v8, v19, v8], grad_outputs=[v11], retain_graph=False, create_graph=True, allow_unused=True)
    if v20 is None: del v20
    if v21 is None: del v21
    if v22 is None: del v22
    (v23,) = torch.autograd.grad([v20], [x0], grad_outputs=[v20], allow_unused=True)
    if v23 is None: del v23
    (v24,) = torch.autograd.grad([v22], [x0], grad_outputs=[x3], retain_graph=True, allow_unused=True)
    if v24 is None: del v24
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
