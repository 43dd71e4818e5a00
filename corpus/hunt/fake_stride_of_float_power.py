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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    seen = []
    v1 = x2.abs()
    v2 = v1.add(1)
    v3 = torch.float_power(5, v2)
    v2.fill_(3)
    v4 = torch.float_power(-2.0, v3)
    v3.copy_(x3)
    v5 = torch.float_power(0, x5)
    v6 = torch.minimum(v5, v5, out=v5)
    torch.addcdiv(v6, v5, v5, value=1e+39, out=x6)
    v7 = torch.float_power(0.25, v6)
    v8 = torch.float_power(-0.5, v7)
    v9 = v7.fill_(False)
    v10 = v9.expand([32, 32, 1, 2])
    v11 = torch.full_like(v10, 3, dtype=None)
    v12 = torch.arange(2, dtype=torch.float64)
    torch.addcdiv(v8, x8, v12, value=1.5, out=v9)
    v13 = torch.ops.aten.group_norm.default(v11, 4)
    if v3.dim() == 1:
        v16 = torch.full_like(v9, 1e-46, dtype=torch.float32)
    else:
        v14 = torch.full_like(v13, True)
        v15 = torch.float_power(1e-30, v14)
    seen.append(("is_contiguous", v7.is_contiguous()))
    return seen, v3, v4, v8, v13

def run(f):
    x0 = _fill("decimal", 86073, 10560, torch.uint8).as_strided([33, 2, 32, 5], [320, 160, 5, 1], 0).detach()
    x1 = x0.detach().as_strided([33, 2, 32], [320, 160, 5], 1).detach()
    x2 = torch.tensor([14, 14, 24, 29, 19, 26, 16, 27, 10, 29, 8, 3, 9, 27, 18, 31, 31, 6, 14, 10, 16, 0, 12, 5, 6, 2, 8, 2, 8, 24, 6, 29], dtype=torch.uint8)
    x3 = torch.tensor([-11, -13, 8, -3, 13, -14, 6, -2, -10, 13, -1, -3, 9, 12, 2, 13, 7, 10, 8, -9, 7, 2, -9, -16, 16, -7, 3, 8, 6, 11, -7, -4])
    x4 = _fill("dyadic", 21785, 14784, torch.uint8).as_strided([7, 32, 33, 2], [2112, 1, 64, 32], 0)
    x5 = torch.tensor([-11, 3, -9, -4, 3, -11, -6, -3, 9, -10, -10, -14, 3, 12, 6, 0, 11, 2, 8, 5, -8, -4, 1, -8, 12, 5, -12, -8, 9, 9, -13, -2, -15, 15, -14, 9, -2, 1, -11, -4, 10, 9, 10, -10, 6, -8, 11, 6, -14, -7, 12, -11, 15, -11, -15, -16, 1, -12, 2, 8, -6, 2, 7, -7]).as_strided([1, 32, 1, 2], [64, 1, 64, 32], 0)
    x6 = torch.tensor([-0.1, 1.6, 1.5, -1.4, -0.6, 0.1, 1.5, -1.2, 0.1, -1.0, 1.0, 1.4, -1.4, 0.4, 1.2, -1.5, 1.6, -1.6, -1.1, -1.5, -0.7, -0.2, -0.1, 1.5, 0.5, -1.4, 0.1, 1.3, -0.7, -1.4, 1.2, -1.1, -1.1, 0.2, -1.4, -1.2, 0.5, -0.4, 0.2, 1.5, -1.2, 1.3, 0.0, -0.6, 1.3, -1.6, 0.7, 1.3, -0.7, 0.0, -1.0, 0.4, 1.5, -1.4, -0.8, 0.8, 1.0, 0.6, -1.0, 0.1, 1.0, -1.5, 1.1, 0.9], dtype=torch.float64).as_strided([1, 32, 1, 2], [64, 1, 64, 32], 0)
    x7 = _fill("decimal", 68194, 14784, torch.int32).as_strided([7, 32, 33, 2], [2112, 1, 64, 32], 0)
    x8 = torch.tensor([[[[-5, 9]], [[13, 1]], [[-8, 9]], [[-2, -11]], [[15, 6]], [[-2, -2]], [[-2, -11]], [[-15, -16]], [[-10, 14]], [[-15, -4]], [[-5, 9]], [[9, -7]], [[16, 12]], [[-5, -4]], [[-9, -14]], [[-4, -8]], [[-12, -15]], [[-13, -16]], [[1, -6]], [[7, 2]], [[-16, 0]], [[-1, 7]], [[-11, -9]], [[-14, 10]], [[1, 13]], [[-4, 8]], [[0, 6]], [[-2, -15]], [[11, 12]], [[-4, 15]], [[-2, -6]], [[6, 16]]]])
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return r[0]

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
