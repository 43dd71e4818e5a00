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


def f(v2, v1, x1, x2, x3, x4, x5):
    v3 = v2.permute([0, 2, 1])
    v4 = v3.squeeze()
    v7 = x3.addmm(x4, x4, beta=1, alpha=-2.0)
    v8 = x2.permute([-3, 2, 1])
    v9 = v3.cumsum(-3)
    v10 = v8.expand([17, 10, 17])
    v11 = v10.permute([1, 2, -3])
    v12 = x3[:0]
    if v3.dtype == torch.float32:
        v14 = torch.ops.aten.mish.default(v2)
        v13 = v3.neg()
    else:
        v13 = v3.add(2)
    v15 = v11.copy_(x5)
    return v12, v13, v9, v7, v4

def run(f):
    x0 = _fill("special", 8815, 2890, torch.float32).reshape([17, 17, 10]).requires_grad_()
    x1 = _fill("dyadic", 28047, 2894, torch.float32).as_strided([17, 10, 17], [170, 17, 1], 4)
    x2 = _fill("special", 37340, 2894, torch.float32).as_strided([17, 17, 10], [170, 10, 1], 4)
    x3 = torch.tensor([-2.0, 1.1920928955078125e-07, -2.0, 1.1754943508222875e-38, -2.0, -0.0, 1.0, 1.1754943508222875e-38, 0.0, float('-inf'), -0.0, 0.0, 1.1920928955078125e-07, -0.0, -1.0, 1.1920928955078125e-07, 1.0, 3.4028234663852886e+38, float('nan'), 0.5, 1.1754943508222875e-38, -1.0, 0.5, float('nan'), 1.0, 1.0, 1.1754943508222875e-38, 0.5, -2.0, 0.5, float('nan'), -0.0, float('nan'), float('nan'), 1.1754943508222875e-38, 3.4028234663852886e+38, 1.1920928955078125e-07, -0.0, float('inf'), -0.0, 3.4028234663852886e+38, 1.1920928955078125e-07, float('nan'), 0.0, 3.4028234663852886e+38, 1.1920928955078125e-07, -2.0, -2.0, -2.0, float('nan'), 1.0, float('nan'), float('-inf'), float('nan'), -2.0, -0.0, 1.1920928955078125e-07, float('nan'), float('-inf'), 1.0, 1.1920928955078125e-07, 3.4028234663852886e+38, float('inf'), -0.0]).requires_grad_()
    x4 = _fill("uniform", 61215, 4099, torch.float32).as_strided([64, 64], [64, 1], 3)
    x5 = _fill("special", 96086, 2890, torch.int64).reshape([10, 17, 17])
    v1 = x0.add(0.25)
    v2 = v1.sin()
    r = f(v2, v1, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[0], r[1], r[2], r[3], r[4]], [torch.zeros([0]), _fill("dyadic", 72354, 2890, torch.float32).reshape([17, 10, 17]), _fill("dyadic", 72355, 2890, torch.float32).reshape([17, 10, 17]), _fill("dyadic", 72356, 4096, torch.float32).reshape([64, 64]), _fill("dyadic", 72357, 2890, torch.float32).reshape([17, 10, 17])])
    return torch.empty(0, dtype=x2.dtype).set_(x2.untyped_storage())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
