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


def _fn_h0(g0):
    if not (g0 is None):
        g0 = g0.sign()
    return None

def f(x0, x1, x2, x3, x4):
    v1 = x1.detach()
    v2 = v1.T
    v3 = v2.max()
    v4 = v3.T
    v5 = v2.transpose(1, -2)
    v6 = torch.arange(65, dtype=torch.bfloat16)
    torch.addcmul(v5, v6, x3, value=-1.5, out=x2)
    v7 = torch.tensor([1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0], dtype=torch.int64).reshape([18, 8]).clone()
    v8 = x3.scatter(1, v7, -1, reduce='add')
    v1.div_(x4, rounding_mode='trunc')
    _hook0_x4 = x4.register_hook(_fn_h0)
    return x0, v8, v2, v4

def run(f):
    x0 = torch.zeros([4225], dtype=torch.bfloat16).as_strided([65, 65], [65, 1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([18, 65], [65, 1], 3055).detach().requires_grad_()
    x2 = _fill("uniform", 99901, 2339, torch.bfloat16).as_strided([18, 65], [130, 2], 0)
    x3 = _fill("dyadic", 77358, 1170, torch.int32).as_strided([18, 65], [65, 1], 0)
    x4 = torch.tensor([-1.1640625], dtype=torch.bfloat16).as_strided([18, 1], [0, 1], 0).detach().requires_grad_()
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0], r[2]], [_fill("dyadic", 12842, 4225, torch.bfloat16).reshape([65, 65]), _fill("dyadic", 12844, 1170, torch.bfloat16).reshape([65, 18])])
    return r[2].requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
