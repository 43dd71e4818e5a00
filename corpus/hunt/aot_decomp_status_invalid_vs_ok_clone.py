import torch

def _py_item(function, *args):
    return function(*[torch.full_like(a, a.item()) if a.numel() == 1 else a for a in args])


def f(x0, x1, x2, x3, x4):
    with torch.no_grad():
        def _py_block(x0, x1, x2):
            v1 = x0.index_fill(1, x1, x2)
            return (v1,)
        [v1] = _py_item(_py_block, x0, x1, x2, )
    v2 = torch.ops.aten.hardsigmoid.default(x0)
    v3 = torch.ops.aten.t_copy.default(x0)
    v4 = torch.ops.aten.diagonal_copy.default(v1, offset=-2, dim1=-1, dim2=0)
    v5, v6, v7 = torch._foreach_sign([x2, x2, v2])
    v8 = torch.eye(1, 31)
    v6.ceil_()
    v9 = v8.nonzero()
    v10 = v5.t()
    return v10, x3, v9, v7, v4, v3

def run(f):
    x0 = torch.tensor([[0.36376953125, 0.63330078125, -0.72607421875, -0.73095703125, -1.18359375, 1.9609375, 0.480224609375], [-0.517578125, -1.5126953125, -1.5078125, 0.8623046875, -0.495361328125, -1.095703125, -0.224609375], [-1.021484375, -1.2353515625, -1.50390625, -1.6005859375, 1.1474609375, -1.974609375, -0.1923828125], [1.1845703125, 0.197265625, 1.6474609375, -0.6328125, 1.9736328125, -1.912109375, 1.9951171875], [1.541015625, -0.1162109375, -0.814453125, 0.218505859375, 1.1181640625, 1.669921875, 0.916015625], [-1.4580078125, -1.9404296875, 0.6669921875, 0.50048828125, 0.845703125, 1.1826171875, 0.9501953125], [-1.0341796875, 0.86962890625, -1.6826171875, -1.8125, -1.29296875, 1.62890625, -0.17041015625], [-0.469970703125, 1.3896484375, 0.55322265625, 1.267578125, -0.80908203125, -0.86669921875, -0.491455078125]], dtype=torch.float16).requires_grad_()
    x1 = torch.zeros([0], dtype=torch.int64)
    x2 = torch.tensor(0.125, dtype=torch.float16)
    x3 = torch.zeros([8, 31, 0], dtype=torch.float16).requires_grad_()
    x4 = torch.zeros([8, 0, 65], dtype=torch.float16).requires_grad_()
    r = f(x0, x1, x2, x3, x4)
    v10, x3, v9, v7, v4, v3, = r
    v11, v12 = torch.autograd.grad([v10], [x3, x0], grad_outputs=[v10], retain_graph=True, allow_unused=True)
    if v11 is None: del v11
    if v12 is None: del v12
    v13 = v12.clone()
    v7.grad = v13
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
