import torch

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    x2[4:6, :] = x3
    v1 = torch.ops.aten.cartesian_prod.default([x4])
    v2 = torch.ops.aten.huber_loss.default(v1, x4, reduction=0, delta=2.0)
    v3 = v2.transpose(0, 0)
    v4 = v3.isposinf()
    torch.floor(v1, out=v3)
    v5 = x1.expand([8, 8, -1])
    v7 = torch.ops.aten.selu_.default(v5)
    v8 = x4.outer(x8)
    v2.fill_(0.5)
    v9 = torch.ops.aten.instance_norm.default(v7, None, x4, None, None, True, 0.5, 0.125, False)
    v10 = torch.zeros_like(v8, dtype=torch.float32)
    v11 = v9.to(torch.float64, copy=True)
    v12 = torch.ops.aten.margin_ranking_loss.default(v8, x3, v8, margin=0.5)
    v13 = torch.eye(7, dtype=torch.float64)
    return v13, v10, v12, v11, v4

def run(f):
    x0 = torch.tensor([[-2.0, 2.220446049250313e-16, -0.0], [0.0, -1.0, -2.0], [2.220446049250313e-16, 0.0, float('inf')]], dtype=torch.float64)
    x1 = torch.tensor([[[0.5, 2.220446049250313e-16], [float('inf'), 1.7976931348623157e+308], [2.2250738585072014e-308, float('nan')], [-1.0, 2.2250738585072014e-308], [0.0, -0.0], [0.5, -2.0], [float('inf'), 2.220446049250313e-16], [-2.0, 2.2250738585072014e-308]], [[float('-inf'), -1.0], [float('nan'), 0.0], [float('-inf'), 2.220446049250313e-16], [float('-inf'), float('-inf')], [-0.0, 0.5], [1.7976931348623157e+308, -1.0], [0.5, 0.0], [float('-inf'), 1.0]], [[float('nan'), 1.0], [1.0, -2.0], [2.2250738585072014e-308, float('inf')], [2.220446049250313e-16, 0.5], [1.0, -2.0], [float('-inf'), 2.220446049250313e-16], [-1.0, -0.0], [-1.0, 0.5]], [[float('nan'), 0.5], [-0.0, -0.0], [2.2250738585072014e-308, 0.0], [2.2250738585072014e-308, float('nan')], [0.0, float('-inf')], [1.0, 1.7976931348623157e+308], [float('nan'), -1.0], [2.220446049250313e-16, 1.7976931348623157e+308]], [[1.0, float('-inf')], [1.7976931348623157e+308, float('-inf')], [-0.0, 1.0], [0.0, -1.0], [2.220446049250313e-16, 2.2250738585072014e-308], [-1.0, 2.220446049250313e-16], [1.7976931348623157e+308, float('nan')], [1.0, float('nan')]], [[2.2250738585072014e-308, 1.0], [-1.0, float('inf')], [2.220446049250313e-16, float('inf')], [-0.0, float('nan')], [-1.0, float('nan')], [float('-inf'), 0.5], [float('inf'), -2.0], [2.2250738585072014e-308, 1.0]], [[float('inf'), 2.220446049250313e-16], [2.220446049250313e-16, 1.0], [1.0, 0.5], [2.2250738585072014e-308, float('nan')], [-1.0, float('nan')], [2.2250738585072014e-308, 0.5], [0.0, float('nan')], [2.220446049250313e-16, float('-inf')]], [[1.7976931348623157e+308, -0.0], [2.2250738585072014e-308, float('nan')], [0.5, float('nan')], [2.220446049250313e-16, 1.7976931348623157e+308], [float('-inf'), -0.0], [2.220446049250313e-16, 0.0], [1.7976931348623157e+308, 0.5], [-2.0, -2.0]]], dtype=torch.float64).requires_grad_()
    x2 = torch.tensor([[-0.0, 0.0, 2.2250738585072014e-308], [-0.0, 1.0, -1.0], [float('inf'), 2.220446049250313e-16, 0.0], [0.5, 2.220446049250313e-16, 2.2250738585072014e-308], [-0.0, 0.5, 0.0], [-0.0, 0.0, float('nan')], [-2.0, 2.220446049250313e-16, float('-inf')], [1.0, float('nan'), 0.0]], dtype=torch.float64)
    x3 = torch.tensor([[float('inf')]], dtype=torch.float64).requires_grad_()
    x4 = torch.tensor([float('-inf'), -0.0, 0.0, 2.220446049250313e-16, float('nan'), float('-inf'), 2.2250738585072014e-308, float('nan')], dtype=torch.float64)
    x5 = torch.tensor(-0.125, dtype=torch.float64)
    x6 = torch.tensor(float('inf')).requires_grad_()
    x7 = torch.tensor([0.5, 1.0, 2.220446049250313e-16], dtype=torch.float64)
    x8 = torch.tensor([1.625], dtype=torch.float64)
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return x1

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
