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


def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = x1[-11:54, :21, 0:0]
    v2 = torch.ops.aten.slice.Tensor(v1, dim=-2, end=20)
    v3 = torch.ops.aten.view_copy.default(v2, [0, 1])
    v4 = torch.tensor([0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0], dtype=torch.int64).reshape([32, 1, 1]).clone()
    v5 = torch.ops.aten.nll_loss2d.default(x2, v4, weight=x3, reduction=0)
    v6 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v7 = x5[[5, 17], -1, v6]
    v8 = v7.bitwise_right_shift(0)
    v9 = torch.ops.aten.nll_loss2d.default(x6, x7, reduction=0, ignore_index=1)
    return v9

def run(f):
    x0 = torch.tensor(0.625).requires_grad_()
    x1 = torch.arange(2080.0).reshape([65, 32, 1]).requires_grad_()
    x2 = _fill("decimal", 97712, 2080, torch.float32).as_strided([32, 65, 1, 1], [65, 1, 65, 65], 0)
    x3 = torch.arange(65.0)
    x4 = _fill("dyadic", 65812, 2080, torch.bool).reshape([32, 65, 1, 1])
    x5 = torch.tensor([[[-12]], [[7]], [[-6]], [[0]], [[15]], [[-16]], [[-11]], [[3]], [[10]], [[-12]], [[3]], [[-3]], [[-4]], [[-16]], [[6]], [[-14]], [[4]], [[-6]], [[6]], [[-16]], [[10]], [[-7]], [[-11]], [[1]], [[-16]], [[-7]], [[1]], [[3]], [[1]], [[-10]], [[10]], [[-9]]])
    x6 = torch.tensor([1.75, 0.125, 0.75, -2.0, 0.875, -0.5, 0.75, 2.0, -1.0, 0.125, -1.75, -1.0]).as_strided([2, 2, 1, 3], [1, 6, 2, 2], 0).detach().requires_grad_()
    x7 = torch.tensor([[[1, 0, 1]], [[1, 0, 0]]])
    r = [f(x0, x1, x2, x3, x4, x5, x6, x7)]
    torch.autograd.backward([r[0]], [torch.tensor([[[-1.875, 1.625, -1.75]], [[-1.0, 0.125, 0.875]]])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
