import torch
torch._inductor.config.fallback_random = True

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


def f(x0, x1, x2):
    v1 = x1.abs()
    v2 = v1.add(2)
    v3 = v2.neg()
    v4 = torch.feature_dropout_(v2, 0.25, True)
    torch.feature_dropout_(x0, 0.5, True)
    v8 = x0.permute([0, -1])
    x0.scatter_(-2, x2, 1e+39, reduce='multiply')
    v9 = x1.t()
    v10 = torch.ops.aten.softshrink.default(v9, lambd=4)
    return v8, v10

def run(f):
    torch.manual_seed(13786)
    x0 = _fill("dyadic", 70645, 8200, torch.float16).as_strided([1025, 8], [8, 1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([800, 8], [8, 1], 0).detach().requires_grad_()
    x2 = torch.tensor([[795, 305, 659, 978, 368, 231, 726, 510], [756, 46, 494, 642, 350, 520, 351, 1014], [953, 597, 680, 228, 75, 736, 107, 454]])
    with torch.no_grad():
        r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
