import torch

def f(v1, v2, v3, x2, x3):
    if v1.requires_grad:
        v5 = v2.narrow(-1, 0, 2)
        v5.log2_()
        v6 = v1.detach()
        v4 = v6.neg()
    else:
        v4 = v1.neg()
    v7 = x2.all()
    v2.add_(x3)
    return v4, v3, v3

def run(f):
    x0 = torch.tensor([[False, False, False], [False, True, True], [True, False, False], [True, True, True], [False, False, True], [True, False, True], [False, True, False], [False, True, False], [True, False, False], [False, True, True], [True, True, False], [False, False, False], [False, False, True], [True, False, False], [True, False, True], [True, False, False], [False, False, True]])
    x1 = torch.tensor([[-4, -12, -2], [13, 7, -4], [3, 15, 8], [10, 12, -10], [3, -16, 7], [10, -12, 5], [12, -9, 7], [5, 9, -9], [15, -9, -10], [8, 16, -12], [-4, 2, -16], [-12, 10, -6], [8, -12, -6], [-14, 16, 6], [-2, -5, 11], [-4, 7, -5], [-13, -13, 1]])
    x2 = torch.tensor([[-14, -8, -3], [14, 6, 4], [-4, 10, 15], [-6, 14, 0]], dtype=torch.int16)
    x3 = torch.tensor([[2.0, -0.75, 1.625], [1.25, -0.375, 0.0], [-1.5, 1.625, 1.0], [-0.75, 0.5, -1.0]]).requires_grad_()
    v1 = x0.sin()
    v1.zero_()
    v2 = torch.ops.aten.slice.Tensor(v1, dim=-2, end=10, step=3)
    v3 = v1.select(-2, -11)
    v1.copy_(x1)
    r = f(v1, v2, v3, x2, x3)
    torch.autograd.backward([r[1], r[2]], [torch.ones([3]), torch.ones([3])])
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
