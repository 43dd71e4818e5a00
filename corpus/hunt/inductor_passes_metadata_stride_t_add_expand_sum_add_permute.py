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


def f(x0, x1, x2, x3):
    v1 = x0.t()
    v2 = v1.add(-3.0, alpha=-1)
    v3 = x0.expand([3, -1])
    v4 = v3.sum(-1, dtype=torch.float32)
    v5 = v2.add(-1.5, alpha=1)
    v6 = v3.permute([0, -1])
    v7 = v6.t()
    v8 = x3.t()
    v9 = v6.add(-0.0)
    return v5, v9, v4

def run(f):
    x0 = torch.tensor([-0.125]).as_strided([64], [0], 0)
    x1 = _fill("dyadic", 93015, 1000, torch.float32).as_strided([1000, 1], [1, 1], 0)
    x2 = torch.tensor(0.5)
    x3 = torch.tensor([-9, 7, 8, 1, 10, 14, -7, -3, -16, 9, 0, 12, -4, 8, -11, 1, -2, 2, -16, -12, -13, -6, 0, -10, 10, -1, 4, 9, -8, 3, 13, 15, -15, 12, 3, -1, 16, -7, 9, -3, 8, 9, -10, -5, 5, 6, -6, -16, -9, 4, -2, 12, 9, 11, -8, 4, -11, 10, 6, -6, -16, 1, 8, 10], dtype=torch.int32).as_strided([64], [1], 0)
    r = f(x0, x1, x2, x3)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
