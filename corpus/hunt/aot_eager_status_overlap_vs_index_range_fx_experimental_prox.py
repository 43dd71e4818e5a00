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


def f(x2, x3, x5, v12, v11, v9, v6, v3):
    v4 = x2.scatter_(1, x3, False)
    return None

def run(f):
    x2 = _fill("dyadic", 62177, 3970, torch.int64).as_strided([63, 63], [1, 63], 1)
    x3 = torch.tensor([[14, 42, 27, 56], [35, 42, 36, 30], [28, 57, 6, 12], [14, 3, 20, 15], [50, 20, 15, 4], [20, 27, 45, 20], [33, 4, 20, 18], [41, 57, 43, 26], [52, 39, 1, 7], [36, 41, 55, 58], [13, 6, 46, 15], [52, 9, 3, 2], [14, 6, 54, 59], [36, 54, 0, 34], [43, 50, 36, 28], [41, 35, 48, 50], [48, 53, 46, 37], [54, 53, 22, 1], [28, 38, 48, 6], [2, 28, 22, 22], [9, 39, 25, 53], [41, 39, 14, 27], [23, 35, 32, 13], [34, 15, 57, 49], [32, 10, 45, 43], [18, 58, 33, 45], [42, 3, 19, 57], [47, 20, 20, 54], [62, 51, 57, 30], [46, 21, 44, 22], [35, 53, 44, 29], [47, 14, 15, 1], [56, 42, 8, 22], [55, 53, 45, 8], [55, 13, 5, 53], [17, 60, 37, 37], [7, 0, 21, 1], [36, 60, 61, 33], [43, 29, 47, 61], [52, 12, 38, 7], [34, 32, 50, 18], [10, 50, 9, 30], [12, 29, 56, 4], [33, 2, 24, 58], [23, 10, 34, 47], [36, 18, 11, 5], [35, 35, 58, 54], [51, 45, 61, 50], [49, 55, 54, 32], [22, 48, 53, 52], [19, 14, 42, 7], [6, 4, 16, 6], [1, 16, 9, 53], [46, 41, 56, 56], [11, 16, 44, 34], [28, 24, 40, 45], [33, 32, 30, 19], [56, 39, 37, 54], [14, 24, 47, 21], [39, 32, 25, 38], [59, 14, 57, 1], [28, 55, 39, 52], [44, 44, 25, 3]])
    x5 = torch.tensor([-1.5, 0.75, -1.25, -0.625, -0.75, -1.5, 0.625, 1.75, 0.125, 0.875, 0.375, -0.625, 1.125, -1.125, -1.0, -1.75, 2.0, 1.5, 2.0, 1.25, -1.125, -0.875, -1.875, -1.25, -0.375, -0.75, 1.625, 0.75, 0.25, -1.625, -1.75, 1.5, -0.75, -1.75, 0.75, 0.5, 1.125, -0.375, -1.125, -1.25, 1.5, 0.0, 0.375, -1.25, -1.5, -2.0, -0.5, -1.625, -0.375, -1.75, 2.0, -0.125, 1.875, -0.875])
    v12 = torch.tensor(0.5)
    v11 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7, 8, 12, 0, -8, 15, 1, -15, -10, 0, 13, 11, 13, 13, -4, -5, 3, -14, 11, 12, 4, 3, -15, 14, 10, 4, -5, 2, 4, 9, 14, -14, -9, -1, -8, 12, 13, -4, 1, 10])
    v9 = _fill("dyadic", 1, 3402, torch.float32).reshape([63, 54])
    v6 = _fill("dyadic", 1, 3969, torch.float32).reshape([63, 63])
    v3 = _fill("dyadic", 1, 3969, torch.int64).reshape([63, 63])
    r = f(x2, x3, x5, v12, v11, v9, v6, v3)
    x2 = _fill("dyadic", 62177, 3970, torch.int64).as_strided([63, 63], [1, 63], 1).detach()
    x3 = x2.detach().as_strided([63, 4], [4, 1], 0).detach()
    x5 = torch.tensor([-1.5, 0.75, -1.25, -0.625, -0.75, -1.5, 0.625, 1.75, 0.125, 0.875, 0.375, -0.625, 1.125, -1.125, -1.0, -1.75, 2.0, 1.5, 2.0, 1.25, -1.125, -0.875, -1.875, -1.25, -0.375, -0.75, 1.625, 0.75, 0.25, -1.625, -1.75, 1.5, -0.75, -1.75, 0.75, 0.5, 1.125, -0.375, -1.125, -1.25, 1.5, 0.0, 0.375, -1.25, -1.5, -2.0, -0.5, -1.625, -0.375, -1.75, 2.0, -0.125, 1.875, -0.875])
    v12 = torch.tensor(0.5)
    v11 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7, 8, 12, 0, -8, 15, 1, -15, -10, 0, 13, 11, 13, 13, -4, -5, 3, -14, 11, 12, 4, 3, -15, 14, 10, 4, -5, 2, 4, 9, 14, -14, -9, -1, -8, 12, 13, -4, 1, 10])
    v9 = _fill("dyadic", 1, 3402, torch.float32).reshape([63, 54])
    v6 = _fill("dyadic", 1, 3969, torch.float32).reshape([63, 63])
    v3 = _fill("dyadic", 1, 3969, torch.int64).reshape([63, 63])
    r = f(x2, x3, x5, v12, v11, v9, v6, v3)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
