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
    x1.xlogy_(2.5)
    v1 = x2.any(0)
    x2.zero_()
    v2 = torch.ops.aten.slice.Tensor(x1, dim=1)
    x1.cumprod_(0)
    v3 = x0.scatter_reduce_(0, x3, x4, 'amax')
    v4, v5, v6, v7, v8, v9, v10 = x2.hsplit(7)
    x2.copy_(v1)
    return v1, v4

def run(f):
    x0 = _fill("arange", 89436, 1003, torch.float64).as_strided([63, 8], [16, 1], 3).detach()
    x1 = x0.detach().as_strided([57, 8], [16, 1], 99).detach()
    x2 = _fill("arange", 62434, 443, torch.bool).as_strided([7, 63], [63, 1], 2)
    x3 = torch.tensor([[18, 15, 6, 9, 53, 62, 38, 28], [9, 15, 20, 42, 7, 41, 33, 27], [47, 18, 4, 3, 49, 6, 17, 28], [16, 18, 11, 16, 30, 50, 10, 12], [43, 54, 54, 55, 21, 18, 20, 23], [17, 41, 55, 59, 32, 35, 10, 43], [41, 14, 46, 25, 58, 52, 17, 42]])
    x4 = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1e+01, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 2e+01, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 3e+01, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 4e+01, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 5e+01, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0], dtype=torch.float64).as_strided([7, 8], [8, 1], 1).detach().requires_grad_()
    r = f(x0, x1, x2, x3, x4)
    return torch.empty(0, dtype=x0.dtype).set_(x0.untyped_storage())

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
