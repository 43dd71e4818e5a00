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


def f(x0, x1, x2):
    v1 = x1.abs()
    v2 = v1.add(3)
    v3 = v2.neg()
    torch.ops.aten.threshold_.default(x2, False, -4)
    v4 = x1.isfinite()
    v5 = v4.atan2(v4)
    v5.exp2_()
    v6 = v4.asinh()
    v7 = torch.xlogy(-2, v3)
    v9 = torch.ops.aten.slice.Tensor(x0, start=33, end=37)
    v10 = v9.isnan()
    if v2.is_contiguous():
        v12 = v9.sum()
        v11 = v2.detach()
    else:
        v11 = v2.detach()
    return v11, v10, v7, v6

def run(f):
    x0 = _fill("dyadic", 61425, 3969, torch.int8).as_strided([63, 63], [63, 1], 0)
    x1 = _fill("dyadic", 78392, 2052, torch.int32).as_strided([2048], [1], 4).detach()
    x2 = x1.detach().as_strided([1372], [1], 4).detach()
    r = f(x0, x1, x2)
    v11, v10, v7, v6, = r
    v7.mul_(1.5)
    v13 = v7.exp()
    v14 = v13.fmod_(v6)
    x0 = _fill("dyadic", 61425, 3970, torch.int8).as_strided([63, 63], [63, 1], 1)
    x1 = _fill("dyadic", 78392, 2053, torch.int32).as_strided([2048], [1], 5).detach()
    x2 = x1.detach().as_strided([1372], [1], 5).detach()
    r = f(x0, x1, x2)
    v11, v10, v7, v6, = r
    v7.mul_(1.5)
    v13 = v7.exp()
    v14 = v13.fmod_(v6)
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
