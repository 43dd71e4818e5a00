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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v11, v8, v7, v5):
    v1 = torch.ones([65, 33], dtype=torch.float16)
    v3 = torch.tensor([0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1], dtype=torch.int64).reshape([3, 33]).clone()
    v4 = v1.scatter_add(0, v3, x1)
    v6 = torch.ops.aten.softshrink.default(v4, lambd=5)
    v4.fill_(65504.0)
    v9 = v6.trace()
    return v6

def run(f):
    x0 = _fill("uniform", 4712, 2145, torch.float16).reshape([65, 33])
    x1 = torch.ones([3], dtype=torch.float16).as_strided([3, 33], [1, 0], 0).detach().requires_grad_()
    x2 = torch.ones([64, 1, 64], dtype=torch.int8)
    x3 = torch.tensor([1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
    x4 = _fill("uniform", 31652, 2145, torch.float32).reshape([65, 33])
    x5 = torch.tensor([5, 2, -1], dtype=torch.int8)
    x6 = torch.tensor([1, 1, 1])
    x7 = torch.tensor(1.375)
    x8 = torch.tensor([-1.5])
    v11 = torch.tensor(0.5)
    v8 = torch.tensor([4, 3, -16])
    v7 = torch.tensor(True)
    v5 = _fill("dyadic", 1, 4096, torch.int8).reshape([64, 1, 64])
    r = [f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v11, v8, v7, v5)]
    torch.autograd.backward([r[0]], [_fill("dyadic", 70234, 2145, torch.float16).reshape([65, 33])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
