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


def f(x2, v3, v1):
    v4 = torch.ops.aten.smooth_l1_loss.default(v3, x2, reduction=0, beta=0.0)
    return v4

def run(f):
    x2 = _fill("dyadic", 55365, 39304, torch.float32).as_strided([17, 17, 17, 8], [2312, 1, 136, 17], 0).detach().requires_grad_()
    v3 = _fill("dyadic", 1, 39304, torch.float32).reshape([17, 17, 17, 8]).requires_grad_()
    v1 = _fill("dyadic", 1, 63580, torch.float32).reshape([17, 17, 20, 11]).requires_grad_()
    r = [f(x2, v3, v1)]
    torch.autograd.backward([r[0]], [torch.ones([17, 17, 17, 8])])
    return x2.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
