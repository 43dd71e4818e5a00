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


def f(v4, v2, x2, v1, x3, v9, v8, v6):
    v5 = v1.angle()
    v7 = v5.index_fill_(-1, v6, 2.0)
    v5.put_(v8, x3, accumulate=True)
    return v7, v9, v8, v6, v5, v4, v2, v1

def run(f):
    x0 = _fill("decimal", 15241, 6500, torch.uint8).as_strided([65, 100], [1, 65], 0).detach()
    x1 = x0.detach().as_strided([65, 100], [1, 65], 0).detach()
    x2 = _fill("uniform", 46206, 6500, torch.float32).reshape([65, 100]).requires_grad_()
    x3 = torch.zeros([0]).as_strided([0, 1], [1, 1], 0).detach().requires_grad_()
    v9 = torch.tensor([4])
    v8 = torch.zeros([0, 1], dtype=torch.int64)
    v6 = torch.zeros([0], dtype=torch.int64)
    v1 = x0.sin()
    v2 = x2.relu()
    v4 = x2.clone()
    r = f(v4, v2, x2, v1, x3, v9, v8, v6)
    torch.autograd.backward([r[0], r[4], r[5], r[6]], [_fill("dyadic", 49786, 6500, torch.float32).reshape([65, 100]), _fill("dyadic", 49790, 6500, torch.float32).reshape([65, 100]), _fill("dyadic", 49791, 6500, torch.float32).reshape([65, 100]), _fill("dyadic", 49792, 6500, torch.float32).reshape([65, 100])])
    return (r[4].dtype, r[4].size(), r[4].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
