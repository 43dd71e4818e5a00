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


def f(x0, x1, x2, x3, x4, v16, v12, v11, v8, v9, v10, v7, v6, v5, v4, v3, v2, v1):
    v13 = v12.index_add(0, x1, x2, alpha=-1)
    with torch.enable_grad():
        pass
    return v13, v16, v9, v8, v7, v3

def run(f):
    x0 = _fill("special", 26064, 1026, torch.int16).as_strided([31, 33], [33, 1], 3)
    x1 = torch.tensor([25, 24])
    x2 = torch.tensor([True, False, False, True, True, False, True, False]).as_strided([2, 8], [0, 1], 0)
    x3 = torch.tensor([3, 100, 7, 7, -7, 7, -2, 0, 2, 3, 5, -7, 100, 5, 0, 0, -9223372036854775808, 1, 9223372036854775807, 2, 9223372036854775807, 3, -7, 3, -1, 5, 7, -1, -7, -2, 3, 1, 100])
    x4 = torch.tensor([-1, 256, 32767, 4294967295, 2, 2, -16777216, 1])
    v16 = _fill("dyadic", 1, 1023, torch.float32).reshape([31, 33])
    v12 = torch.tensor([[True, True, False, True, True, False, True, True], [False, False, True, False, False, False, False, True], [True, True, False, False, False, False, True, False], [True, True, True, True, True, False, False, False], [True, False, True, False, True, True, False, False], [False, True, True, False, True, False, False, False], [True, False, False, True, False, False, True, True], [True, False, False, False, False, True, False, True], [False, False, True, True, True, True, True, True], [True, True, False, True, True, False, True, True], [True, True, True, False, True, True, True, False], [False, False, False, False, False, True, False, False], [True, False, False, True, True, True, True, False], [True, True, True, False, False, True, False, False], [False, False, True, False, True, False, False, True], [False, False, True, False, False, True, True, False], [True, False, True, False, False, False, True, False], [False, True, False, False, False, True, True, True], [True, False, True, True, False, False, True, True], [False, False, False, False, True, True, False, False], [False, False, True, True, False, True, True, True], [True, True, True, False, False, True, False, True], [True, True, False, False, True, True, True, False], [True, False, True, True, True, False, False, False], [False, False, False, False, True, True, False, True], [False, False, True, True, True, True, True, True], [False, True, True, True, True, False, True, False], [True, True, True, True, False, True, True, True], [True, True, True, True, True, True, True, False], [False, False, False, True, False, False, False, False], [False, False, True, True, True, True, False, False], [False, False, True, True, True, True, False, False], [True, True, True, False, False, False, False, True]])
    v11 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    v8 = _fill("dyadic", 1, 627, torch.bool).reshape([19, 33])
    v9 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True], [False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False, True, False, False], [True, True, True, True, True, True, True, True, False, True, True, False, True, True, True, True, True, False, True, True, True, False, False, False, False, False, False, True, False, False, True, False, False], [True, True, True, True, False, True, True, True, False, False, True, False, False, False, False, True, False, True, False, False, True, False, False, True, False, False, True, True, False, True, False, True, False]])
    v10 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True], [False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False, True, False, False], [True, True, True, True, True, True, True, True, False, True, True, False, True, True, True, True, True, False, True, True, True, False, False, False, False, False, False, True, False, False, True, False, False], [True, True, True, True, False, True, True, True, False, False, True, False, False, False, False, True, False, True, False, False, True, False, False, True, False, False, True, True, False, True, False, True, False], [False, False, True, False, False, True, False, False, False, True, True, True, True, False, True, True, False, False, True, True, False, False, False, False, True, True, False, False, False, False, True, True, False], [True, True, True, True, True, True, False, False, True, False, True, True, True, False, False, True, True, True, False, True, False, True, True, True, False, False, False, False, False, False, False, True, True], [False, True, False, False, True, True, True, True, True, True, False, True, True, True, True, False, True, False, True, True, True, True, False, True, True, True, True, True, True, True, True, True, True], [False, False, False, False, True, False, False, False, False, False, False, True, True, True, True, False, False, False, False, True, True, True, True, False, False, True, True, True, False, False, False, False, True]])
    v7 = _fill("dyadic", 1, 2046, torch.int16).reshape([62, 33])
    v6 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    v5 = _fill("dyadic", 1, 1023, torch.bool).reshape([31, 33])
    v4 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    v3 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    v2 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    v1 = _fill("dyadic", 1, 1023, torch.int16).reshape([31, 33])
    r = f(x0, x1, x2, x3, x4, v16, v12, v11, v8, v9, v10, v7, v6, v5, v4, v3, v2, v1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
