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


def f(x0, x1, x2, x3, x4, x5):
    v1 = x0.abs()
    v2 = v1.add(1)
    v3 = v2.neg()
    torch.div(v1, x2, out=x3)
    v4 = x4.diagonal_scatter(x5, dim1=2, dim2=1)
    x4.fill_(2)
    if not (x4.requires_grad):
        v8 = torch.ops.aten.unsqueeze_copy.default(v2, 0)
        v9 = x4.detach()
        v5 = v9.mul(3)
    else:
        v7 = torch.cat([v4], dim=-2)
        v5 = x4.mul(2)
    return v4, v5

def run(f):
    x0 = torch.tensor(15, dtype=torch.int8)
    x1 = _fill("dyadic", 98165, 945, torch.int64).reshape([1, 63, 15])
    x2 = torch.tensor(-32768, dtype=torch.int16)
    x3 = torch.tensor(-1.0)
    x4 = _fill("dyadic", 33962, 495, torch.int8).reshape([15, 33, 1])
    x5 = torch.tensor([-3, -14, -13, -4, -13, 16, -8, -6, -15, 0, 16, 0, -15, 4, -11], dtype=torch.int8).as_strided([15, 1], [1, 1], 0)
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5)
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
