import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        ctx.mark_non_differentiable(b0)
        return a0, b0
    @staticmethod
    def backward(ctx, g0, h0):
        if ctx.needs_input_grad[0]:
            p0 = g0.add(h0)
        else:
            p0 = g0.clone()
        q0 = h0.neg()
        return p0, q0

def _fn_h1(g0):
    if not (g0 is None):
        with torch.enable_grad():
            g0 = g0.mul(2)
    return g0

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    x1[x4, ::1, 1:1] = x2
    x1[x4, ::1, 1:1] = x2
    v1 = x2.expand_as(x5)
    v2 = x2.expand_as(x5)
    v3 = torch.eye(3)
    v4 = torch.eye(3)
    v5, v6 = _fn_f0.apply(v3, x6)
    v7 = v6.expand_as(x4)
    _hook1_v5 = v5.register_hook(_fn_h1)
    v8 = torch.full([4, 4], False, dtype=torch.bool)
    v9 = v7.expand_as(x8)
    v10 = v7.expand_as(x8)
    return x1, v1, v2, v3, v4, v9, v10, x7

def run(f):
    x0 = torch.tensor([False, False]).as_strided([2], [1], 0).detach()
    x1 = torch.tensor([[[[False, False], [False, True], [True, True], [True, False]], [[False, True], [True, True], [True, True], [True, False]], [[True, False], [True, True], [True, True], [True, True]]], [[[True, True], [False, True], [True, True], [False, False]], [[True, True], [True, False], [True, False], [False, False]], [[False, True], [True, False], [True, False], [True, True]]], [[[False, True], [True, True], [True, False], [True, True]], [[False, True], [False, False], [False, True], [True, True]], [[True, False], [False, False], [False, True], [False, False]]]])
    x2 = x0.detach().as_strided([1], [1], 0).detach()
    x3 = torch.tensor([[False, True], [False, False], [False, True], [True, True]])
    x4 = torch.tensor([[False, False, False], [True, False, True], [False, False, False]])
    x5 = torch.tensor([True, True, False, True, False, False, True, True]).as_strided([4], [1], 4)
    x6 = torch.tensor([-1.375, 2.0, -1.25, -0.375, -0.375, -1.125, -0.625, -0.125, -0.125]).as_strided([3, 3], [3, 1], 0).detach().requires_grad_()
    x7 = torch.tensor([1.125, 1.125, 1.5, 1.625, 1.125, 0.625, 1.0, -0.375, 1.375, 1.125, -1.75, -1.125, -0.875, -1.75, -1.0, 0.875, 1.125, -1.75, -0.625, 1.75, -1.25]).as_strided([2, 3, 3], [9, 3, 1], 3)
    x8 = torch.tensor([[[1.619770884513855, -1.68660569190979, 1.7484276294708252], [-0.572531521320343, 1.6231365203857422, 0.41651731729507446], [-1.540177345275879, 1.275806188583374, 1.9871037006378174]], [[-1.8499904870986938, 0.9157857894897461, -1.8302278518676758], [1.0510812997817993, -1.9819034337997437, 0.6638631820678711], [0.4147545099258423, 0.02162470482289791, 0.19920162856578827]]]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return r[5].requires_grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
