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
    v1 = torch.arange(1, dtype=torch.float32)
    (v2,) = torch._foreach_lerp([x0], [v1], -4)
    v3 = v2.logaddexp(v2)
    v3[::2, 1:2:2] = x2
    v4 = x0.unsqueeze(-1)
    v5 = v4.logaddexp(v1)
    v1.zero_()
    v4[-140:-86, 1:, :] = v1
    v6, v7 = torch._foreach_lerp([v5, x1], [v4, x3], 0.125)
    v1.addmv_(x4, v7, beta=-2.0, alpha=-2.0)
    v8 = x4.logaddexp(x4)
    x4.fill_(4)
    v3[-300, :] = v1
    return v5, v8, v6

def run(f):
    x0 = _fill("dyadic", 20994, 1002, torch.float32).as_strided([1000, 1], [1, 1], 2).detach().requires_grad_()
    x1 = _fill("dyadic", 10539, 1000, torch.float32)
    x2 = torch.zeros([500, 0]).requires_grad_()
    x3 = _fill("dyadic", 86951, 1000, torch.float32)
    x4 = torch.zeros([0]).as_strided([0, 1000], [1, 1], 0)
    x5 = _fill("dyadic", 8069, 2000, torch.float32).reshape([2, 1000])
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
