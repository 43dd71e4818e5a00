import torch

import itertools


def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = x2.relu()
    v2 = x2.expand([5, 2])
    v2[:, None, 0] = x3
    v3 = x3.addmm(x4, x5)
    v4 = next(itertools.chain([], [v2.mm(x4)]))
    v5 = x6.relu()
    v6 = torch.dstack([v3, x5])
    return v5, v4, v6, v1

def run(f):
    x0 = torch.tensor([1.0, float('-inf'), 0.5, float('nan'), float('nan'), 0.5, 2.2250738585072014e-308, float('nan'), 2.2250738585072014e-308, 1.0, -2.0, -1.0, -1.0, 1.7976931348623157e+308, 1.0, 0.5, 0.0, -0.0, -1.0, -2.0, float('nan'), 1.0, 1.0, 2.220446049250313e-16, float('-inf'), -0.0], dtype=torch.float64).as_strided([8, 1], [3, 2], 4).detach().requires_grad_()
    x1 = torch.tensor([-0.5, -1.25, -1.875, 0.375, -0.875, 1.75, -2.0, 2.0, -1.5, 1.875, 1.625, -1.0, -0.125, 0.0, -0.75, 0.5, 1.875], dtype=torch.float64).as_strided([1, 8, 2, 2], [16, 2, 0, 1], 1).detach().requires_grad_()
    x2 = torch.tensor([-2.0, 1.7976931348623157e+308, float('nan'), 2.2250738585072014e-308, 2.2250738585072014e-308, float('-inf'), 2.220446049250313e-16, -1.0, 0.0, -0.0], dtype=torch.float64).as_strided([5, 2], [2, 1], 0)
    x3 = torch.tensor(-1.875, dtype=torch.float64).requires_grad_()
    x4 = torch.tensor([[0.0, 1.7976931348623157e+308], [-2.0, 1.7976931348623157e+308]], dtype=torch.float64).requires_grad_()
    x5 = torch.tensor([[-0.0, -2.0, 2.220446049250313e-16, -2.0, 1.0, 1.7976931348623157e+308, float('-inf'), -0.0], [-0.0, 2.220446049250313e-16, float('inf'), 2.2250738585072014e-308, float('-inf'), 2.220446049250313e-16, 1.0, 1.7976931348623157e+308]], dtype=torch.float64).requires_grad_()
    x6 = torch.tensor([[-0.3402580303147009, 0.11685694812734893, -1.366388837890169], [-1.5420984120140258, -0.6207733010513041, 0.8593895696143514], [0.16860683215070305, 1.0000222702861867, 0.30578385351028325], [-1.1599222266951146, -1.7817235305310812, 0.44717297218566676], [0.9570208329420287, 1.366292356430503, -0.5539791916543164]], dtype=torch.float64).requires_grad_()
    x7 = torch.tensor([[4, 0, -7], [10, -15, -3], [8, 9, 3], [9, 5, 6], [-4, 9, 13]], dtype=torch.int8)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    v5, v4, v6, v1, = r
    torch.autograd.backward([v6], grad_tensors=[v6])
    v7 = v5.copy_(x7)
    torch.autograd.backward([r[0], r[1], r[2]], [torch.tensor([[-1.25, -0.875, -1.75], [-2.0, 1.75, 1.375], [-2.0, -1.5, 0.5], [1.375, -0.375, -1.0], [1.75, -0.625, -0.25]], dtype=torch.float64), torch.tensor([[1.875, -1.75], [1.5, -0.125], [1.625, 1.25], [0.875, 0.375], [-1.5, -1.875]], dtype=torch.float64), torch.tensor([[[-0.5, 1.625], [-0.375, 0.5], [0.5, -1.625], [0.625, 1.25], [1.25, 0.625], [0.25, -1.375], [-2.0, 0.875], [0.25, 0.875]], [[-1.75, 1.625], [1.5, 2.0], [1.25, 2.0], [-1.0, 0.375], [-0.375, 1.875], [-0.5, 1.125], [0.375, 1.875], [1.875, 1.25]]], dtype=torch.float64)])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
