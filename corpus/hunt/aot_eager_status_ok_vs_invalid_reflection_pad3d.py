import torch

def _fn_h0(g0):
    p0 = g0.mul(2)
    return None

def f(x0, x2, x3):
    _hook0_x0 = x0.register_hook(_fn_h0)
    v1 = x0.mul(x0)
    v2 = torch.ops.aten.reflection_pad3d.default(x2, [0, 1, 1, 2, 2, -3])
    v1 = x2[:, :-2]
    v3 = torch.where(x3, v1, 2.5)
    return v3

def run(f):
    x0 = torch.tensor(-1.375).requires_grad_()
    x2 = torch.tensor([[[[-1.0, 1.75], [-1.125, -0.5], [1.125, -1.75], [-0.75, 1.875], [2.0, -0.5], [0.875, 0.0], [-1.375, -1.5], [-1.875, -0.75]], [[0.875, 1.625], [1.75, 2.0], [-1.625, -1.375], [-0.625, 1.5], [-0.5, -0.625], [-1.375, -0.375], [-0.25, -0.25], [1.875, 1.5]], [[1.125, -1.0], [-1.375, -0.875], [0.0, 1.375], [0.75, 0.25], [-0.625, 0.625], [0.75, -1.25], [0.0, 0.375], [-1.625, 0.125]]]]).requires_grad_()
    x3 = torch.tensor([[True]])
    r = [f(x0, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 8, 2])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
