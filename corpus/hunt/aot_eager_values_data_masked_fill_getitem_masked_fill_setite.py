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


def f(x0, x1, x2, x3, x4, x5, v4):
    v1 = x0.masked_fill(x2, 1.0)
    v2 = x0[x3, 11]
    v2.masked_fill_(x4, -0.5)
    x3[[0],] = x5
    v3 = x1.transpose(1, 0)
    return v2, v4, v1

def run(f):
    x0 = _fill("dyadic", 15407, 1071, torch.float32).reshape([63, 17]).requires_grad_()
    x1 = torch.tensor([[0.5], [float('-inf')], [float('nan')], [-2.0], [float('inf')], [-0.0], [float('-inf')], [3.4028234663852886e+38], [-2.0], [1.0], [float('-inf')], [1.1920928955078125e-07], [3.4028234663852886e+38], [0.5], [float('nan')], [float('inf')]])
    x2 = _fill("arange", 76327, 1071, torch.bool).reshape([63, 17])
    x3 = torch.tensor([52, 53, 54, 55])
    x4 = torch.tensor([False, False, False, False])
    x5 = torch.tensor([2]).as_strided([1], [1], 0)
    v4 = torch.zeros([0, 1])
    r = f(x0, x1, x2, x3, x4, x5, v4)
    torch.autograd.backward([r[0], r[2]], [torch.tensor([1.375, -1.25, -0.875, 0.0]), _fill("dyadic", 97245, 1071, torch.float32).reshape([63, 17])])
    x4.requires_grad_(False)
    x1.requires_grad_(True)
    x0.grad = None
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5, v4)
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
