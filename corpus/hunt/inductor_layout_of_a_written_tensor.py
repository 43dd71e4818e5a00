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
    v1 = x1.norm(1.0, 2)
    v2 = torch.rrelu(v1, upper=0.5, training=True)
    v3 = torch.rrelu(v1, lower=0.125, upper=0.5, training=True)
    v4 = torch.rrelu(x0, upper=1.0, training=True)
    v5 = torch.rrelu(x0, lower=0.125, upper=1.0, training=True)
    v6 = x0.norm(float('-inf'), -1, keepdim=True)
    v5[1580:1744:2, :4, 1:2] = x2
    v5[1580:1744:2, :4, 1:2] = x2
    return v2, v3, v4, v5, v5, v6

def run(f):
    torch.manual_seed(6469)
    x0 = _fill("special", 7918, 18432, torch.float32).as_strided([2048, 9, 1], [1, 2048, 18432], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([1, 9, 2048], [18432, 2048, 1], 0).detach()
    x2 = torch.zeros([0]).as_strided([82, 4, 0], [1, 0, 1], 0).detach().requires_grad_()
    r = f(x0, x1, x2)
    torch.autograd.backward([r[2], r[3], r[4], r[5]], [_fill("dyadic", 18781, 18432, torch.float32).reshape([2048, 9, 1]), _fill("dyadic", 18782, 18432, torch.float32).reshape([2048, 9, 1]), _fill("dyadic", 18783, 18432, torch.float32).reshape([2048, 9, 1]), _fill("dyadic", 18784, 18432, torch.float32).reshape([2048, 9, 1])])
    return (r[4].dtype, r[4].size(), r[4].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
