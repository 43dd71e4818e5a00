import torch

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = x1.index_select(0, x3)
    v2 = x3.index_select(0, x4)
    torch.sqrt(x5, out=x2)
    v3 = torch.ops.aten.special_xlog1py.other_scalar(x5, 2)
    v4, v5 = torch.autograd.grad([v1], [v1, v1], grad_outputs=[v1], create_graph=True)
    v6 = torch.ops.aten.silu.default(v5)
    v7 = torch.tensor([2, 2], dtype=torch.int64).reshape([2]).clone()
    v8 = v3.index_select(0, v7)
    torch.sqrt(x8, out=x6)
    return v6, v6

def run(f):
    x0 = torch.tensor([1.25], dtype=torch.float64).as_strided([1], [1], 0).detach().requires_grad_()
    x1 = torch.tensor([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0], [24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0], [4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0], [48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0], [56.0, 57.0, 58.0, 59.0, 6e+01, 61.0, 62.0, 63.0]], dtype=torch.float64).requires_grad_()
    x2 = x0.detach().as_strided([1], [1], 0).detach()
    x3 = torch.tensor([4, 5, 7, 7, 5, 2, 2, 5])
    x4 = torch.tensor([1])
    x5 = torch.tensor([-0.3559090774972722, 1.934064228636244, 1.0371538324519678], dtype=torch.float64)
    x6 = torch.tensor([-0.375, -1.625, -1.5], dtype=torch.bfloat16).as_strided([3], [1], 0).detach()
    x7 = torch.tensor([0.0, -0.625, -1.25], dtype=torch.bfloat16)
    x8 = torch.tensor([3, -13, -13], dtype=torch.int16)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    x0 = torch.tensor([1.25], dtype=torch.float64).as_strided([1], [1], 0).detach().requires_grad_()
    x1 = torch.tensor([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0], [24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0], [4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0], [48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0], [56.0, 57.0, 58.0, 59.0, 6e+01, 61.0, 62.0, 63.0]], dtype=torch.float64).requires_grad_()
    x2 = x0.detach().as_strided([1], [1], 0).detach()
    x3 = torch.tensor([4, 5, 7, 7, 5, 2, 2, 5])
    x4 = torch.tensor([1])
    x5 = torch.tensor([-0.3559090774972722, 1.934064228636244, 1.0371538324519678], dtype=torch.float64)
    x6 = torch.tensor([-0.375, -1.625, -1.5], dtype=torch.bfloat16).as_strided([3], [1], 0).detach()
    x7 = torch.tensor([0.0, -0.625, -1.25], dtype=torch.bfloat16)
    x8 = torch.tensor([3, -13, -13], dtype=torch.int16)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    x0 = torch.tensor([1.25], dtype=torch.float64).as_strided([1], [1], 0).detach().requires_grad_()
    x1 = torch.tensor([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0], [24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0], [32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0], [4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0], [48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0], [56.0, 57.0, 58.0, 59.0, 6e+01, 61.0, 62.0, 63.0]], dtype=torch.float64).requires_grad_()
    x2 = x0.detach().as_strided([1], [1], 0).detach()
    x3 = torch.tensor([4, 5, 7, 7, 5, 2, -3, 5])
    x4 = torch.tensor([1])
    x5 = torch.tensor([-0.3559090774972722, 1.934064228636244, 1.0371538324519678], dtype=torch.float64)
    x6 = torch.tensor([-0.375, -1.625, -1.5], dtype=torch.bfloat16).as_strided([3], [1], 0).detach()
    x7 = torch.tensor([0.0, -0.625, -1.25], dtype=torch.bfloat16)
    x8 = torch.tensor([3, -13, -13], dtype=torch.int16)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
