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


def f(x0, x1, x2, x3):
    v1 = x0.hypot(x1)
    v3 = torch.ops.aten.avg_pool2d.default(x2, [2, 2], stride=[1], ceil_mode=True)
    x0.uniform_(-2.0, to=0.0)
    v4, v5 = x2.split(1, dim=2)
    v7 = torch.ops.aten.reflection_pad2d.default(v5, [0, 0, 1, 0])
    return v7, v3

def run(f):
    x0 = torch.arange(4005.0).as_strided([1000, 4], [4, 1], 5)
    x1 = _fill("special", 5609, 4001, torch.float32).as_strided([1000, 4], [4, 1], 1)
    x2 = torch.arange(4000.0).as_strided([1000, 2, 2], [1, 1000, 2000], 0).detach().requires_grad_()
    x3 = _fill("dyadic", 45106, 4003, torch.float32).as_strided([1000, 4], [1, 1000], 3).detach().requires_grad_()
    torch.manual_seed(28296)
    r = f(x0, x1, x2, x3)
    torch.autograd.backward([r[0], r[1]], [_fill("dyadic", 98175, 3000, torch.float32).reshape([1000, 3, 1]), _fill("dyadic", 98176, 1000, torch.float32).reshape([1000, 1, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
