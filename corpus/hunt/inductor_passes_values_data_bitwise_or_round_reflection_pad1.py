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


def f(x0, x1, x2, x3, x4):
    v1 = x0.bitwise_or(1)
    v2 = v1.round()
    v3 = torch.ops.aten.reflection_pad1d.default(x1, [0, 0])
    v4 = torch.ops.aten.reflection_pad1d.default(x1, [0, 0])
    v5 = v1.dot(x2)
    v6 = v1.dot(x2)
    v7 = v6.tan()
    v8 = torch.tensor([1, 0, 0, 0], dtype=torch.int32).reshape([4]).clone()
    v9 = x1.index_select(-2, v8)
    v10 = x2.select_scatter(x3, -1, -761)
    v11 = x2.fill_(128)
    v12 = v3.fmin(v4)
    v13 = v12.index_reduce(-2, x4, v9, 'prod')
    v14 = v12.index_reduce(-2, x4, v9, 'prod')
    return v3, v4, v5, v6, v10, v13, v14, v7

def run(f):
    x0 = _fill("special", 67577, 1000, torch.uint8)
    x1 = _fill("special", 32601, 1000, torch.uint8).reshape([1000, 1])
    x2 = _fill("special", 61744, 1000, torch.uint8).as_strided([1000], [1], 0)
    x3 = torch.tensor(13, dtype=torch.uint8)
    x4 = torch.tensor([158, 399, 126, 214])
    r = f(x0, x1, x2, x3, x4)
    return r[4].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
