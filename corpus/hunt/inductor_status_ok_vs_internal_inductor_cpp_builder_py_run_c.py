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


def f(x0, x1, v11, v10, v9, v7, v6, v5, v4):
    v1 = x0.ne(-1.5)
    v3 = x0.sigmoid()
    v8 = v1.add(v1, alpha=2)
    v12 = v8.bitwise_xor(v1)
    return v6, v7, v10, v11, v12, v9, v3

def run(f):
    x0 = _fill("uniform", 3978, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    x1 = torch.tensor([1.625], dtype=torch.float64).as_strided([1, 1], [1, 1], 0)
    v11 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    v10 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    v9 = torch.tensor(0.5, dtype=torch.float64)
    v7 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    v6 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    v5 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1])
    v4 = _fill("dyadic", 1, 22528, torch.float64).reshape([2048, 11, 1]).requires_grad_()
    r = f(x0, x1, v11, v10, v9, v7, v6, v5, v4)
    torch.autograd.backward([r[1], r[6]], [_fill("dyadic", 871, 22528, torch.float64).reshape([2048, 11, 1]), _fill("dyadic", 876, 22528, torch.float64).reshape([2048, 11, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
