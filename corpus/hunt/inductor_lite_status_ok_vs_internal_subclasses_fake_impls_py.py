import torch

def f(x0):
    v1 = x0.abs()
    v2 = v1.add(3)
    v3 = v2.neg()
    v4 = x0.norm(p=float('-inf'))
    v5 = x0.norm(p=float('-inf'))
    v6 = torch.ops.aten.elu.default(v4, scale=1.5, input_scale=-2)
    v7 = torch.ops.aten.elu.default(v4, scale=1.5, input_scale=-2.0)
    v8 = torch.tensor([1], dtype=torch.int32).reshape([]).clone()
    v9 = v7.repeat_interleave(v8, dim=None)
    v10 = v7.repeat_interleave(v8, dim=None)
    return v4, v5, v6, v7, v9, v10

def run(f):
    x0 = torch.tensor([[-1.25, 1.25, -1.75, 1.0, -1.0], [-0.125, 0.25, 1.875, 1.625, -0.625], [-1.125, 0.75, -0.25, -1.25, -0.375], [-2.0, -0.875, 1.375, 1.75, 0.0], [2.0, 0.625, -1.375, 1.625, 2.0]]).requires_grad_()
    r = f(x0)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
