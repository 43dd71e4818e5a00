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


def f(x0, x1):
    v1 = x0.unsqueeze(2)
    v2 = x1.unfold(0, 1, 3)
    v3 = v1.min()
    v5 = v2.min()
    v2.copy_(v5)
    v6 = torch.ops.aten.squeeze_copy.default(v1)
    v7 = v6.mean(-1, keepdim=True, dtype=torch.float32)
    v6.copy_(v5)
    v8 = v3.min()
    v9 = v1.erfinv()
    v10 = v7.mean([-1])
    v7.zero_()
    v11 = torch.ops.aten.softplus.default(v10, beta=-2.0, threshold=2)
    v12 = v7.std(None, correction=1, keepdim=True)
    v7.zero_()
    v13 = v11.mean([])
    return v5, v7, v10, v12

def run(f):
    x0 = _fill("dyadic", 3418, 1025, torch.int16).reshape([1025, 1])
    x1 = _fill("dyadic", 29401, 4000, torch.int16).as_strided([4, 1000, 1], [1000, 1, 1], 0)
    r = f(x0, x1)
    return x1

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
