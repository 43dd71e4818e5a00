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


def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x0.logaddexp(x2)
    torch.pow(x1, 1, out=x1)
    v2 = torch.ops.aten.constant_pad_nd.default(x3, [], value=0)
    x3.zero_()
    v3 = torch.tensor([1, 1], dtype=torch.int64).reshape([2]).clone()
    v1.put_(v3, x4, accumulate=True)
    v2.masked_fill_(x5, -0.5)
    if v2.grad_fn is not None:
        v5 = torch.tensor([45, 49, 54, 83, 57, 59, 59, 56, 26, 52, 81, 67, 8, 86, 68, 69, 31, 86, 27, 42, 22, 6, 57, 79, 75, 84, 83, 33, 84, 91, 66, 74, 39, 87, 15, 22, 32, 55, 8, 26, 79, 8, 36, 0, 0, 1, 85, 89, 21, 29, 27, 27, 74, 67, 86, 16, 98, 44, 70, 40, 64, 2, 0, 8, 76, 0, 39, 41, 69, 23, 68, 22], dtype=torch.int64).reshape([3, 6, 4, 1]).clone()
        v6 = x3.scatter_add(0, v5, x6)
        v4 = v2.add(3)
    else:
        v7 = x4.median()
        v4 = v2.detach()
    return v2, v4

def run(f):
    x0 = _fill("uniform", 29724, 2400, torch.float64).as_strided([100, 6, 4, 1], [24, 1, 6, 6], 0).detach().requires_grad_()
    x1 = _fill("decimal", 8004, 3969, torch.float64).reshape([63, 63, 1])
    x2 = _fill("dyadic", 16056, 2400, torch.float64).as_strided([100, 6, 4, 1], [24, 1, 6, 6], 0).detach().requires_grad_()
    x3 = _fill("dyadic", 83290, 2400, torch.float64).as_strided([100, 6, 4, 1], [24, 1, 6, 6], 0)
    x4 = torch.tensor([0.25, -0.5], dtype=torch.float64).requires_grad_()
    x5 = _fill("uniform", 4717, 600, torch.bool).reshape([100, 6, 1, 1])
    x6 = torch.tensor([-0.875, -0.125, 0.875, -1.5, 0.0, 0.5, 1.0, 1.75, -0.625, -1.875, 0.375, 1.5, 0.5, 0.375, -0.75, -0.25, -1.75, -0.5, -1.625, 0.75, -0.375, 0.625, 2.0, 2.0, -1.5, 1.125, -0.875, 0.5, -0.25, -0.25, 1.125, 1.5, 1.75, -0.375, 1.25, 0.875, 0.875, -1.25, -0.375, 0.25, 1.75, 1.75, 0.5, 1.75, 0.25, -1.5, 1.25, -0.875, -1.625, 1.625, 1.0, -0.125, 1.5, -1.75, 2.0, -0.5, -0.5, 1.875, -0.5, 0.875, -2.0, 0.25, 1.375, 0.625, -1.375, -1.875, -0.375, -1.5, -0.625, -1.25, -0.625, 1.75], dtype=torch.float64).as_strided([3, 6, 4, 1], [24, 1, 6, 6], 0)
    r = f(x0, x1, x2, x3, x4, x5, x6)
    return (r[1].dtype, r[1].size(), r[1].stride())

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
