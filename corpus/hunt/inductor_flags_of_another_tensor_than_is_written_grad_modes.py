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
    v1 = x0.abs()
    v2 = v1.add(1)
    v3 = v2.neg()
    with torch.enable_grad():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            v4 = v2.div(x1)
            v5 = v2.div(x1)
            v6 = v5.add(0)
            v7 = v5.add(0)
        v5[:, -1048576:-64] = x2
        with torch.no_grad():
            v8 = v5.mul(v2)
    v9 = x2.mul(x3)
    v10 = v7.squeeze()
    with torch.no_grad():
        v11 = x3.relu()
        v12 = x2.add(0.25, alpha=-2.0)
        v13 = x2.add(0.25, alpha=-2)
        v14 = x2.squeeze()
        v15 = x2.squeeze()
    return v15, v8, v4

def run(f):
    x0 = _fill("dyadic", 95942, 4096, torch.float16).as_strided([64, 64], [1, 64], 0)
    x1 = torch.tensor(0.5, dtype=torch.float64).requires_grad_()
    x2 = torch.zeros([0], dtype=torch.float16).as_strided([64, 0], [1, 1], 0).detach().requires_grad_()
    x3 = torch.tensor([1.671875], dtype=torch.float16)
    r = f(x0, x1, x2, x3)
    return r[0].is_leaf

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
