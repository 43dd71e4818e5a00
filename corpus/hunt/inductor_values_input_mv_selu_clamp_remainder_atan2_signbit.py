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
    v1 = x0.mv(x3)
    torch.ops.aten.selu_.default(v1)
    v2 = x3.clamp(min=1e-30, max=1.5)
    x1.remainder_(x1)
    x1.atan2_(x1)
    v3 = x3.signbit()
    v4 = v2.narrow(0, 6, 0)
    torch.ops.aten.leaky_relu_.default(v4, negative_slope=False)
    v5 = x4.sinc()
    list(v1.stride())
    return v2, v3

def run(f):
    x0 = _fill("uniform", 10374, 8200, torch.float32).as_strided([1025, 8], [1, 1025], 0).detach()
    x1 = _fill("decimal", 87757, 8200, torch.float32).as_strided([8, 1025, 1, 1], [1025, 1, 1025, 1025], 0)
    x2 = x0.detach().as_strided([1025, 8], [1, 1025], 0).detach().requires_grad_()
    x3 = torch.tensor([-0.625, 1.75, -2.0, 0.0, -2.0, -1.25, 1.0, 0.5, 1.25, -1.0, 0.5, -0.375, 1.5, -0.625, 0.25]).as_strided([8], [2], 0).detach().requires_grad_()
    x4 = torch.tensor([1.5625, 1.8828125, -1.953125, 1.5546875, 0.1328125, 1.125, 0.8359375, 1.3828125], dtype=torch.bfloat16)
    r = f(x0, x1, x2, x3, x4)
    return torch.empty(0, dtype=x1.dtype).set_(x1.untyped_storage())

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
