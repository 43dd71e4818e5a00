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


def f(x1, x2, x3, v5, v4, v3, v2):
    v1 = torch.ops.aten.threshold_.default(x1, -0.5, 1)
    return None

def run(f):
    x1 = torch.tensor([4, -8, 5, -5, 0, 13, 10, 3, -1, 5, 9, 8, -7, 4, 11, 2, 11, -8, 9, 7, -16, -7, -13, -5, -15, 3, -14, -10, -1, -16, -7, 8, -3, -9, -13, -1, -16, -8, 11, -14, -4, -3, 2, 6, 3, 1, -3, 8, -15, 13, -9, -13, 5, 4, 9, 12, -3, -6, -5, -7, 1, 12, -5, -14, 6, 4, 1, -12, 9, 5, -7, 1, -2, -1, 11, -7, -10, 12, 9, -14, 3, -14, 14, -6, 16, 16, 5, -5, 12, -8, -3, -3, -2, 7, -13, -1, 2, -14, 10, -14, 15, -16, 12, -9, -5, 8, -13, 3, -7, 3, -10, -14, -9, 6, -4, -15, -14, 9, 6, -1, -14, -2, -8, 4, 14, -6, -10, 2, 3, -2]).as_strided([2, 65], [65, 1], 0)
    x2 = _fill("decimal", 73786, 16384, torch.float16).as_strided([32, 32, 16], [512, 1, 32], 0)
    x3 = _fill("dyadic", 36444, 16384, torch.uint8).reshape([32, 32, 16])
    v5 = _fill("dyadic", 1, 16384, torch.float16).reshape([32, 32, 16])
    v4 = _fill("dyadic", 1, 16384, torch.float16).reshape([32, 32, 16])
    v3 = _fill("dyadic", 1, 512, torch.int64).reshape([32, 16])
    v2 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0, -0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875, 1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25, 0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375, -1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25, 0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125, -0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0, -1.25], dtype=torch.float16).requires_grad_()
    r = f(x1, x2, x3, v5, v4, v3, v2)
    return x1

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
