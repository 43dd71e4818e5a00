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


def f(x0, x1, x2, v11, v4, v3, v2):
    v1 = torch.ops.aten.slice.Tensor(x1, start=7, end=-33)
    if torch.is_grad_enabled():
        v5 = x1.detach()
    with torch.no_grad():
        v9 = v4[x2, -1]
        v10 = x1.xlogy(0.0)
    v5.round_()
    return v1, v11, v10, v9

def run(f):
    x0 = _fill("dyadic", 66142, 10000, torch.bfloat16).reshape([100, 20, 5])
    x1 = torch.tensor([-1.0, -0.25, 0.625, -0.625, -0.375, 1.625, -1.25, 0.625, 1.75, 1.0, 1.875, 1.625, -1.125, -0.125, 2.0, 1.625, 1.375, 0.125, -0.25, -1.625, 0.25, 0.5, 2.0, 0.875, 1.75, 0.25, 1.375, -1.25, -0.125, 1.375, -0.125, -1.5, -1.25, -1.625, 2.0, -1.75, 0.5, -1.375, 0.875, 1.125, 1.5, 2.0, 1.625, 1.5, -1.875, 1.75, -0.5, -0.625, -0.5, -2.0, -1.0, -1.625, -0.375, 1.125, -0.25, 1.125, 0.375, -0.25, 1.0, -1.625, 1.625, -0.25, -0.5, -1.875, 2.0, 2.0, 1.125, 2.0, 0.625, -0.875, -1.5, 1.5, -0.75, -0.125, -0.875, -1.0, 1.875, -1.625, -1.25, -1.625, -1.625, 1.0, 1.25, -0.875, -1.125, -0.875, -1.375, 0.625, 0.25, 0.875, 0.25, 1.625, -1.875, 0.5, 0.625, -1.375, 0.875, 1.75, 0.0, 0.125], dtype=torch.bfloat16).requires_grad_()
    x2 = torch.tensor([True, True, False, True, True, False, True, False, True, True, True, True, False, True, False, True, True, True, False, False, False, True, True, False, False, False, True, False, True, True, False, False, False, True, True, True, True, True, True, True, False, True, True, False, True, False, False, False, False, False, True, False, True, False, True, True, False, True, False, True, False, False, False, False, True, False, True, False, True, False, True, True, True, False, True, False, True, True, True, True, False, True, True, False, False, True, True, True, False, True, False, True, True, True, False, True, False, True, False, False])
    v11 = torch.tensor([True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False, True, False, False, True, True, True, True, True, True, True, True, False, True, True, False, True, True, True, True, True, False, True, True, True, False, False, False, False, False, False, True, False, False, True, False, False, True])
    v4 = torch.tensor([[0.5], [0.375], [-2.0], [1.625], [0.25], [0.875], [-2.0], [-1.625], [-2.0], [-0.375], [0.25], [0.0], [0.875], [-1.875], [-0.75], [2.0], [-0.875], [0.875], [2.0], [1.0], [-1.875], [1.375], [-1.625], [0.875], [1.0], [1.5], [0.0], [-1.0], [1.875], [0.125], [-1.875], [-1.25], [0.0], [1.625], [1.375], [1.625], [1.625], [-0.5], [-0.625], [0.375], [-1.75], [1.375], [1.5], [0.5], [0.375], [-1.875], [1.75], [1.25], [0.5], [-0.625], [0.25], [0.5], [1.125], [1.75], [-1.75], [-1.125], [-0.125], [-1.0], [1.5], [1.625], [-0.5], [0.125], [1.25], [2.0], [-1.25], [0.75], [-0.875], [-1.375], [-1.5], [-1.375], [-1.75], [1.0], [0.0], [-0.125], [-0.25], [1.125], [2.0], [0.75], [-1.5], [-1.0], [-1.625], [-0.5], [-0.125], [0.5], [-1.0], [-0.625], [0.0], [-1.875], [-1.25], [0.25], [-1.375], [0.625], [0.25], [-0.125], [-1.5], [-1.375], [-1.125], [-1.0], [1.0], [-0.25]])
    v3 = _fill("dyadic", 1, 500, torch.int64).reshape([100, 5])
    v2 = torch.tensor([4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0, 7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7, 8, 12, 0, -8, 15, 1, -15, -10, 0, 13, 11, 13, 13, -4, -5, 3, -14, 11, 12, 4, 3, -15, 14, 10, 4, -5, 2, 4, 9, 14, -14, -9, -1, -8, 12, 13, -4, 1, 10, 16, -10, 6, -7, -11, -12, -11, -14, 8, 0, -1, -2, 9, 16, 6, -12, -8, -13, -4, -1, 4, -8, -5, 0, -15, -10, 2, -11, 5, 2, -1, -12, -11, -9, -8, 8, -2])
    r = f(x0, x1, x2, v11, v4, v3, v2)
    torch.autograd.backward([r[0]], [torch.tensor([0.0, -0.625, 0.375, -1.75, 0.25, -0.5, -1.0, 0.0, -1.0, 1.5, 0.25, 1.25, 1.875, 1.5, 0.625, -1.5, 2.0, 0.375, 1.75, 1.25, 0.125, 1.625, -0.875, -0.75, -1.875, 2.0, 1.875, -0.625, -0.25, -1.375, 0.125, 0.75, -0.375, -0.75, 0.75, -1.125, 0.25, 0.625, 0.75, 0.875, 2.0, -0.875, 1.375, 0.5, -2.0, 0.375, -2.0, 0.375, 0.0, -0.375, 1.375, -1.25, -1.0, 0.875, 0.375, -1.875, -1.0, -2.0, -0.875, -0.125], dtype=torch.bfloat16)])
    return x1._version > 0

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
