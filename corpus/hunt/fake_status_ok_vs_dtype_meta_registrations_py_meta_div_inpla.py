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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v10, v9, v8, v7, v6, v4, v3, v2, v1):
    v5 = x6.addcdiv(x6, x8, value=-1.0)
    v11 = torch.ops.aten.special_entr.default(v5)
    return v10, v2, v11, v9, v8, v4, v3, v1

def run(f):
    x0 = _fill("dyadic", 62280, 1500, torch.float64).reshape([15, 100]).requires_grad_()
    x1 = torch.zeros([15], dtype=torch.float64).as_strided([15], [1], 0).detach().requires_grad_()
    x2 = torch.tensor(0.6000000238418579)
    x3 = torch.tensor(True)
    x4 = torch.tensor([0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    x5 = torch.tensor([-0.625, 1.875, -0.375, -2.0, -0.375, 0.25, -1.875, -1.875, -1.375, 0.0, -2.0, -1.0, 0.375, 0.0, 1.875], dtype=torch.float16).requires_grad_()
    x6 = torch.tensor([1.25], dtype=torch.float16).requires_grad_()
    x7 = _fill("dyadic", 65627, 1500, torch.float64).reshape([1, 15, 100])
    x8 = torch.tensor([0], dtype=torch.int8)
    v10 = _fill("dyadic", 1, 13500, torch.float64).reshape([9, 15, 100])
    v9 = _fill("dyadic", 1, 13500, torch.float64).reshape([9, 15, 100])
    v8 = torch.tensor(4, dtype=torch.int8)
    v7 = _fill("dyadic", 1, 13500, torch.float64).reshape([9, 15, 100])
    v6 = _fill("dyadic", 1, 13500, torch.float64).reshape([9, 15, 100])
    v4 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75], dtype=torch.float64).requires_grad_()
    v3 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75], dtype=torch.float16).requires_grad_()
    v2 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75], dtype=torch.float64).requires_grad_()
    v1 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6])
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v10, v9, v8, v7, v6, v4, v3, v2, v1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
