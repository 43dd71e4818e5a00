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


def f(v3, v2, v1, x0, x4, x5, x6, x7, x8):
    v4 = v2.masked_fill_(x4, x5)
    v5 = v4.moveaxis([1, 2], [0, 2])
    (v6,) = x4.dsplit(1)
    v7 = torch.ones([65, 4, 1], dtype=torch.float16)
    v6.heaviside_(x4)
    v7.squeeze_(2)
    v10 = v7.expand([1, 65, -1])
    v11 = torch.ones([4, 65, 65], dtype=torch.bfloat16)
    v12 = torch.zeros([4, 65, 64], dtype=torch.bfloat16)
    v13 = torch.tensor([500, 379, 595], dtype=torch.int64).reshape([3]).clone()
    v14 = torch.ops.aten.diagonal_copy.default(v10, dim1=2, dim2=0)
    v15 = torch.ops.aten.slice.Tensor(v10, dim=-1, start=1, end=1, step=2)
    v1.mul_(-4)
    return v15, v13

def run(f):
    x0 = _fill("dyadic", 50872, 16640, torch.bfloat16).reshape([4, 65, 1, 64]).requires_grad_()
    x1 = _fill("arange", 50746, 64000, torch.bfloat16).reshape([1000, 64])
    x2 = _fill("arange", 96529, 1000, torch.bfloat16).as_strided([1000], [1], 0).detach().requires_grad_()
    x3 = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 6e+01, 61.0, 62.0, 63.0], dtype=torch.bfloat16)
    x4 = _fill("special", 99935, 525, torch.bool).as_strided([4, 65, 1], [132, 2, 1], 0)
    x5 = torch.tensor(0.0, dtype=torch.bfloat16).requires_grad_()
    x6 = torch.tensor([-1.125], dtype=torch.bfloat16).as_strided([64], [0], 0)
    x7 = _fill("arange", 44220, 64000, torch.bfloat16).reshape([64, 1000]).requires_grad_()
    x8 = _fill("arange", 94869, 64000, torch.bfloat16).reshape([1000, 64])
    v1 = x0.mul(0.125)
    v2 = v1.select(3, 15)
    v3 = v2.detach()
    with torch.no_grad():
        v2.sigmoid_()
    x1.addr_(x2, x3, beta=0.5)
    r = f(v3, v2, v1, x0, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
