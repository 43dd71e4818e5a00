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
    v1 = x1.normal_()
    v2 = v1.as_strided([1], [1])
    v3 = v2.narrow(0, 1, 0)
    v4 = x0.as_strided([1, 1], [5, 1])
    v5 = v2.as_strided([1, 4], [5, 1])
    v6 = v5.as_strided([4], [1], storage_offset=3)
    v7 = v6.expand([4])
    v8 = v7.fmod_(1)
    v9 = torch.ops.aten.special_entr.default(v8)
    v10 = x3.acosh()
    v11 = torch.rrelu(x2, upper=0.5, training=False)
    v12 = v4.t()
    return v10, v11

def run(f):
    torch.manual_seed(69942)
    x0 = torch.tensor(-0.0999755859375, dtype=torch.float16)
    x1 = _fill("dyadic", 47373, 9408, torch.float16).as_strided([64, 7, 7, 3], [147, 1, 21, 7], 0)
    x2 = torch.tensor([-0.62451171875], dtype=torch.float16).as_strided([7], [0], 0)
    x3 = torch.tensor([-6]).as_strided([1], [0], 0)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
