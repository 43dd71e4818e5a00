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


def f(x0, x1, x2, x3, x4, x5):
    v1 = torch.arange(-3, -2, step=2)
    torch.fmod(v1, v1, out=x3)
    v2 = x1.float_power(x4)
    v3 = x4.copy_(x5)
    v4 = torch.arange(1, 2, step=1)
    v5 = torch.arange(2, 1002, step=1, dtype=torch.bfloat16)
    return v2, v5, v4

def run(f):
    x0 = _fill("dyadic", 21589, 1000, torch.bfloat16).requires_grad_()
    x1 = torch.tensor([[-1.375, -1.25, 1.875, -0.5, 0.625, 1.375, -1.5, -0.5, 1.375, 0.875, -1.5, 0.5, -0.5, -1.875, 0.75, 1.0]]).requires_grad_()
    x2 = torch.tensor([-1.203125, -1.203125, -0.30078125, 0.6015625, 1.1015625, -0.69921875, -0.80078125, -1.296875, -0.80078125, 0.6015625, 0.6015625, -1.203125, -0.2001953125, -1.3984375, -0.2001953125, 0.6015625], dtype=torch.bfloat16).as_strided([16, 16], [1, 0], 0).detach().requires_grad_()
    x3 = torch.tensor([-1.2421875], dtype=torch.bfloat16)
    x4 = torch.tensor([-9, 16, 3, -15, 15, 15, 4, -6, 1, 13, -11, 4, 9, 3, -3, -15, 10, -4, 6, -11, -6, -10, 10, 12, -14, 5, 6, 10, -4, 7, -10], dtype=torch.int16).as_strided([1, 16], [34, 2], 0)
    x5 = torch.tensor([[4, -15, -2, -1, -15, -6, 15, 4, -2, -13, 8, -8, -13, 6, 1, -1]], dtype=torch.int32)
    r = f(x0, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[0]], [torch.tensor([[1.75, 0.875, 0.125, 0.5, 0.5, -0.5, 0.0, 1.75, -1.125, 0.0, 0.25, -0.875, 1.625, 0.25, -0.625, -0.625]], dtype=torch.float64)])
    return x1.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
