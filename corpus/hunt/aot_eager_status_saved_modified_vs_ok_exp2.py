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


def f(x0, x1, x4, x5, x6, x7, v12, v10, v9, v8, v4, v1):
    x0.tan_()
    v3 = x0.mv(x1)
    torch.exp(x0, out=x0)
    v5 = v3.exp2()
    return v5

def run(f):
    x0 = _fill("dyadic", 84077, 4003, torch.float16).as_strided([1000, 4], [1, 1000], 3)
    x1 = torch.tensor([-2.0, 65504.0, 65504.0, float('inf'), 65504.0, 6.103515625e-05, 6.103515625e-05], dtype=torch.float16).as_strided([4], [2], 0).detach().requires_grad_()
    x4 = _fill("uniform", 68404, 1000, torch.float16).as_strided([4, 1000], [0, 1], 0).detach().requires_grad_()
    x5 = torch.tensor([1.3203125], dtype=torch.float16)
    x6 = torch.tensor([[-2.0, -2.0, 0.0009765625, 0.0009765625], [float('nan'), 0.0, -1.0, -1.0], [float('nan'), 0.0009765625, float('nan'), 6.103515625e-05]], dtype=torch.float16)
    x7 = torch.tensor([0.0009765625, -1.0, -0.0], dtype=torch.float16).as_strided([3], [1], 0).detach().requires_grad_()
    v12 = _fill("dyadic", 1, 1000, torch.float16).requires_grad_()
    v10 = torch.tensor(4)
    v9 = _fill("dyadic", 1, 1000, torch.bool)
    v8 = torch.tensor(0.5, dtype=torch.float16)
    v4 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7, 8, 12, 0, -8, 15, 1, -15, -10])
    v1 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7, 8, 12, 0, -8, 15, 1, -15, -10])
    r = [f(x0, x1, x4, x5, x6, x7, v12, v10, v9, v8, v4, v1)]
    torch.autograd.backward([r[0]], [torch.ones([1000], dtype=torch.float16)])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
