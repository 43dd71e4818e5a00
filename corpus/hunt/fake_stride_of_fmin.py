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


def f(x0, x1, x2, x3, x4, x5, v5, v3, v4, v2, v1):
    v8, v9, v10 = torch.meshgrid([x2, x3, x4])
    v13 = v9.fmin(x5)
    return v2, v10, v13, v5, v3

def run(f):
    x0 = _fill("arange", 75293, 2053, torch.float16).as_strided([2048, 1], [1, 1], 5)
    x1 = torch.tensor(0.0, dtype=torch.float16)
    x2 = torch.tensor([-0.375], dtype=torch.float16).as_strided([2048], [0], 0).detach().requires_grad_()
    x3 = torch.tensor([0.0], dtype=torch.float16)
    x4 = torch.tensor([65504.0, -2.0, -0.0, -0.0, 0.0, 6.103515625e-05, 0.0009765625, 0.0, -0.0, 65504.0, 1.0, float('nan'), 0.5, 65504.0, -0.0, 0.5, -1.0, 1.0, 6.103515625e-05, float('inf'), float('nan'), 0.0, float('inf'), -1.0, 1.0, 6.103515625e-05, float('nan'), float('nan'), 1.0, 0.5, float('nan')], dtype=torch.float16).requires_grad_()
    x5 = _fill("arange", 70708, 63488, torch.float16).as_strided([1, 2048, 1, 31], [63488, 1, 63488, 2048], 0)
    v5 = _fill("dyadic", 1, 2048, torch.int64).reshape([1, 2048])
    v3 = _fill("dyadic", 1, 2048, torch.float16).reshape([2048, 1])
    v4 = _fill("dyadic", 1, 2048, torch.int64).reshape([2048, 1])
    v2 = _fill("dyadic", 1, 2048, torch.bool).reshape([2048, 1])
    v1 = _fill("dyadic", 1, 2048, torch.bool).reshape([2048, 1])
    r = f(x0, x1, x2, x3, x4, x5, v5, v3, v4, v2, v1)
    torch.autograd.backward([r[1]], [_fill("dyadic", 95473, 63488, torch.float16).reshape([2048, 1, 31])])
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
