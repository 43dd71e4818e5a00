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


def f(x0, x1, x2, x3, x4):
    v1 = torch.ops.aten.unsqueeze_copy.default(x0, -1)
    torch.eq(v1, -1.0, out=x1)
    v1.masked_fill_(x1, x2)
    torch.ops.aten.mish_.default(x2)
    with torch.no_grad():
        x0.masked_fill_(x3, x2)
    v2 = torch.ops.aten.slice.Tensor(x0, dim=-1, start=931, step=52)
    v3 = torch.eq(x3, False, out=x4)
    return v2, v3

def run(f):
    x0 = _fill("dyadic", 85641, 1027, torch.float16).as_strided([1025], [1], 2).detach().requires_grad_()
    x1 = _fill("uniform", 1326, 1025, torch.bool).as_strided([1025, 1], [1, 1025], 0)
    x2 = torch.tensor(-0.20361328125, dtype=torch.float16)
    x3 = _fill("dyadic", 71798, 1025, torch.bool)
    x4 = _fill("dyadic", 8811, 1025, torch.float16).as_strided([1025], [1], 0)
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0]], [torch.tensor([1.375, -0.125], dtype=torch.float16)])
    x0 = _fill("dyadic", 85641, 1027, torch.float16).as_strided([1025], [1], 2).detach().requires_grad_()
    x1 = _fill("uniform", 1326, 1025, torch.bool).as_strided([1025, 1], [1, 1025], 0)
    x2 = torch.tensor(-0.20361328125, dtype=torch.float16)
    x3 = x1.detach().as_strided([1025], [1], 0)
    x4 = _fill("dyadic", 8811, 1025, torch.float16).as_strided([1025], [1], 0)
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0]], [torch.tensor([1.375, -0.125], dtype=torch.float16)])
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
