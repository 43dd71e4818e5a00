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


def f(x1, v16, v12, v11, v5, v4, v3):
    v8 = x1.abs()
    v14 = v8[..., 55]
    v15 = v8[..., 55]
    return v14, v15

def run(f):
    x1 = _fill("dyadic", 81728, 3304, torch.float32).as_strided([1, 33, 100], [1, 1, 33], 4)
    v16 = torch.tensor([[0.5, 0.375, -2.0, 1.625, 0.25]])
    v12 = _fill("dyadic", 1, 3300, torch.float32).reshape([1, 33, 100])
    v11 = torch.tensor(0.5)
    v5 = _fill("dyadic", 1, 3300, torch.float32).reshape([1, 33, 100])
    v4 = _fill("dyadic", 1, 3300, torch.float32).reshape([1, 33, 100])
    v3 = _fill("dyadic", 1, 3300, torch.float32).reshape([1, 33, 100])
    r = f(x1, v16, v12, v11, v5, v4, v3)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
