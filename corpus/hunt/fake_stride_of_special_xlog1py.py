import torch

def f(x0, x1, x2, x3, x4, v8, v7):
    v1 = torch.where(x2, 2, x0)
    v2 = x2.movedim([0, 1], [1, 2])
    v3 = torch.ops.aten.special_xlog1py.default(v2, x2)
    v4 = torch.tensor([2, 0, 1, 0, 1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 0, 1, 0, 1, 2], dtype=torch.int64).reshape([3, 3, 3]).clone()
    v6 = v3.expand([3, -1, -1])
    return v6, v8, v7, v4, v3, v1

def run(f):
    x0 = torch.tensor([1.0, 1.75, -1.25, 1.125, 0.0, 1.625, -0.375, -1.125, -0.125], dtype=torch.float64).as_strided([3, 3, 3], [0, 3, 1], 0).detach()
    x1 = x0.detach().as_strided([2, 3, 3], [0, 3, 1], 0).detach()
    x2 = torch.tensor([True, True, False, True, True, True, True, True, True]).as_strided([3, 3, 3], [0, 3, 1], 0)
    x3 = torch.tensor([0.1247285008430481, 0.5662403702735901, 1.838234305381775, -1.2413816452026367, -0.21529294550418854, 0.07530558109283447, 0.9572339653968811, 1.032664179801941, -0.9502568244934082]).as_strided([3, 3, 3], [3, 0, 1], 0).detach().requires_grad_()
    x4 = torch.zeros([5], dtype=torch.float64).as_strided([3], [2], 0)
    v8 = torch.tensor([[[0.5, 0.375, -2.0], [1.625, 0.25, 0.875], [-2.0, -1.625, -2.0]], [[-0.375, 0.25, 0.0], [0.875, -1.875, -0.75], [2.0, -0.875, 0.875]], [[2.0, 1.0, -1.875], [1.375, -1.625, 0.875], [1.0, 1.5, 0.0]]]).requires_grad_()
    v7 = torch.tensor([[[0.5, 0.375, -2.0], [1.625, 0.25, 0.875], [-2.0, -1.625, -2.0]], [[-0.375, 0.25, 0.0], [0.875, -1.875, -0.75], [2.0, -0.875, 0.875]], [[2.0, 1.0, -1.875], [1.375, -1.625, 0.875], [1.0, 1.5, 0.0]]])
    r = f(x0, x1, x2, x3, x4, v8, v7)
    torch.autograd.backward([r[1]], [torch.tensor([[[0.875, 0.375, -2.0], [-0.25, -1.875, -0.875], [-0.125, 1.875, 0.75]], [[0.75, -0.75, 0.125], [-0.25, -0.5, 0.125], [1.375, 1.5, -0.5]], [[1.875, 1.875, 1.5], [-1.5, -0.25, 1.25], [1.25, 0.75, -0.625]]])])
    return (r[4].dtype, r[4].size(), r[4].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
