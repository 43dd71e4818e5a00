import torch

def _wrap(value, dtype):
    bits = torch.iinfo(dtype).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if torch.iinfo(dtype).min < 0 and value >> (bits - 1) else value


def _fill(kind, seed, count, dtype):
    mask, out, state = (1 << 64) - 1, [], seed
    floating, boolean = dtype.is_floating_point, dtype == torch.bool
    for i in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        if kind == "zeros" or kind == "ones":
            out.append(int(kind == "ones"))
        elif kind == "arange":
            out.append(float(i) if floating else i != 0 if boolean else _wrap(i, dtype))
        elif kind == "special" and floating:
            info = torch.finfo(dtype)
            out.append([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, float("inf"), float("-inf"), float("nan"), info.tiny, info.max, info.eps][z % 12])
        elif kind == "special" and not boolean:
            info = torch.iinfo(dtype)
            out.append(_wrap([0, 1, -1, 2, -2, 3, 7, -7, 100, info.min, info.max, 5][z % 12], dtype))
        elif kind == "uniform" and floating:
            out.append(((z >> 11) * 2.0**-53) * 4 - 2)
        elif floating:
            out.append((z % 33 - 16) / (10 if kind == "decimal" else 8))
        else:
            out.append(z % 2 if boolean else z % 33 if dtype == torch.uint8 else z % 33 - 16)
    return torch.tensor(out, dtype=dtype)


def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_weighed(gradients):
    total = 0
    for g in gradients:
        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()
    return total
def _py_plus(results, number):
    return [r + number if r.is_floating_point() else r for r in results]
def _py_scalar(function, where):
    def scalar(*args):
        results, total = function(*args), args[where[0]].sum() * 0
        for r in results:
            total = total + r.sum() if r.is_floating_point() else total
        return total, tuple(results)
    return torch.func.grad_and_value(scalar, argnums=tuple(where), has_aux=True)
def _py_func_grad(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    gradients, (_, results) = _py_scalar(function, where)(*args)
    return _py_plus(results, _py_weighed(gradients))


def f(x0, v2, v1, x3, x4, x5, x6, x7, x8, v10, v9, v8, v7, v6, v5, v4):
    def _py_block(v1, x4, x8):
        v11 = torch.ops.aten.slice.Tensor(v1, start=8, end=8)
        v14 = torch.tensor([], dtype=torch.int64).reshape([0]).clone()
        v15, v16, v17, v18 = torch.embedding_bag(v11, v14, x4, scale_grad_by_freq=True, mode=2, include_last_offset=True)
        v19 = torch.tensor([4, 7, 6, 2, 3, 2, 0, 6, 6, 7, 6, 3, 2, 6, 0, 1, 2, 6, 4, 5, 4, 7, 3, 5, 3, 7, 1, 6, 4, 6, 7, 3, 7, 7, 6, 7, 1, 4, 0, 3, 2, 0, 3, 5, 0, 0, 3, 0, 1, 4, 1, 0, 3, 3, 6, 3, 7, 7, 5, 5, 3, 6, 2, 7, 1], dtype=torch.int64).reshape([1, 65, 1]).clone()
        v20 = torch.ops.aten.nll_loss2d.default(x8, v19, ignore_index=2)
        return (v11, v14, v15, v16, v17, v18, v19, v20,)
    [v11, v14, v15, v16, v17, v18, v19, v20] = _py_func_grad(_py_block, v1, x4, x8, )
    return v20, v17, v18, v16, v15, v10, v9, v8

def run(f):
    x0 = torch.tensor([[-0.4990234375, -1.4365234375, -1.81640625, -0.270263671875, -0.4951171875, -1.611328125, -0.9306640625, -1.6806640625], [-0.039154052734375, -1.984375, -0.80810546875, -0.447021484375, -0.50537109375, -0.439453125, 1.4853515625, 0.76611328125], [0.51025390625, 0.32177734375, -0.5166015625, -1.8310546875, -1.6298828125, 1.1083984375, -1.423828125, -0.04791259765625], [0.70458984375, -1.4619140625, 1.6611328125, -1.427734375, 1.919921875, 0.83203125, 0.52392578125, 0.0584716796875], [-0.77099609375, -0.0034942626953125, 1.7509765625, 1.9775390625, -1.7626953125, 1.353515625, -0.859375, 1.208984375], [1.259765625, -1.0673828125, 1.5498046875, 0.5439453125, 1.6220703125, 1.890625, 0.09820556640625, 1.279296875], [0.1787109375, 0.453857421875, 0.76904296875, 1.71875, -1.916015625, -0.77783203125, -0.7275390625, 0.213623046875], [-0.2401123046875, -1.94921875, 0.58349609375, 0.8369140625, 1.4150390625, -1.0771484375, 0.853515625, 0.55029296875]], dtype=torch.float16).requires_grad_()
    x1 = _fill("dyadic", 80153, 520, torch.float16).reshape([65, 8])
    x2 = _fill("dyadic", 784, 520, torch.int32).reshape([65, 8])
    x3 = torch.tensor([15, -11, -5, -6, 16, 9, -9, 5, 11, -6, 2, 6, -13, 7, 5, 6, 2, -14, 10, 4, 1, -5, -13, -16, 1, -4, -6, 3, -5, -2, -5, -13, -8, -7, -8, -11, -1, 10, -4, 14, 9, 16, 3, -9, 13, 7, -12, -7, -1, -7, 0, -1, 16, 3, 14, -11, 4, -13, 3, 5, 16, -1, 0, 12, 16, 12, -13], dtype=torch.int16).as_strided([1, 8, 8], [64, 8, 1], 3)
    x4 = torch.tensor([0, 0])
    x5 = _fill("dyadic", 40742, 6240, torch.int16).as_strided([8, 65, 4, 3], [780, 1, 195, 65], 0)
    x6 = torch.tensor([[[26, 44, 59], [61, 27, 62], [2, 50, 26], [8, 0, 45]], [[18, 28, 64], [37, 30, 64], [30, 22, 21], [56, 54, 59]], [[0, 59, 53], [28, 48, 55], [2, 36, 43], [3, 39, 17]], [[44, 17, 16], [46, 33, 57], [28, 18, 28], [40, 54, 52]], [[16, 29, 60], [3, 32, 41], [15, 57, 14], [58, 27, 12]], [[35, 35, 58], [44, 3, 57], [5, 8, 37], [50, 6, 46]], [[18, 34, 27], [39, 20, 19], [41, 20, 18], [27, 5, 7]], [[51, 2, 13], [21, 51, 52], [27, 48, 63], [15, 36, 27]]])
    x7 = torch.tensor([-3, 14, 11, -7, -5, 12, -5, -8, 6, 1, -7, 8, 7, 4, -5, -3, -4, -11, 7, 7, 12, -7, 1, -14, -1, 12, 4, -6, 15, 9, -12, -10, 10, 16, -13, 14, 16, -11, 9, -6, -12, -1, 10, -3, -2, -11, 9, -4, 15, 9, -6, -6, -6, 6, 5, 3, -11, 10, 16, -8, -3, -10, -4, 12, -8], dtype=torch.int16)
    x8 = _fill("dyadic", 95484, 520, torch.float16).as_strided([1, 8, 65, 1], [520, 1, 8, 8], 0).detach().requires_grad_()
    v10 = torch.tensor([[[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875], [1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25], [0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]]], dtype=torch.float64).requires_grad_()
    v9 = torch.tensor([[[True, True, False, True, True, False, True, True], [False, False, True, False, False, False, False, True], [True, True, False, False, False, False, True, False], [True, True, True, True, True, False, False, False], [True, False, True, False, True, True, False, False], [False, True, True, False, True, False, False, False], [True, False, False, True, False, False, True, True], [True, False, False, False, False, True, False, True]]])
    v8 = torch.tensor([4, 3, -16])
    v7 = torch.tensor([4, 3, -16])
    v6 = torch.tensor([4, 3, -16, 13])
    v5 = torch.tensor([[[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875], [1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25], [0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]]], dtype=torch.float16).requires_grad_()
    v4 = torch.tensor([[[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875], [1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25], [0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]]], dtype=torch.float16).requires_grad_()
    v2 = torch.tensor([[[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875], [1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25], [0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]]], dtype=torch.float16).requires_grad_()
    v1 = torch.tensor([[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875], [1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25], [0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]], dtype=torch.float16).requires_grad_()
    r = f(x0, v2, v1, x3, x4, x5, x6, x7, x8, v10, v9, v8, v7, v6, v5, v4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
