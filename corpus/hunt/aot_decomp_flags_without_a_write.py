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
    v1 = torch.randn([7, 15, 63], requires_grad=True)
    v2 = torch.randn([7, 15, 63], requires_grad=True)
    v3 = torch.randn([15, v1.size(2)], dtype=None)
    v4 = v3.transpose(-2, 1)
    v5 = v3.transpose(0, 1)
    v6 = torch.randn([33, 33], dtype=None)
    v7 = torch.randn([33, 33], dtype=None)
    v8 = v7.transpose(0, 1)
    v9 = v7.transpose(0, 1)
    assert not (v9.requires_grad)
    v10 = v9.masked_scatter_(x1, v6)
    v9.masked_scatter_(x1, v6)
    return v1, v2, v4, v5, v6, v7, v8, v9, x0

def run(f):
    x0 = _fill("dyadic", 10102, 14556, torch.float32).as_strided([63, 33, 7], [231, 7, 1], 3)
    x1 = _fill("special", 1513, 1091, torch.bool).as_strided([33, 33], [33, 1], 2)
    r = f(x0, x1)
    torch.autograd.backward([r[0], r[1]], [_fill("dyadic", 57535, 6615, torch.float32).reshape([7, 15, 63]), _fill("dyadic", 57536, 6615, torch.float32).reshape([7, 15, 63])])
    return (r[6].dtype, r[6].size(), r[6].stride())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
