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


class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.sin()
        ctx.save_for_backward(b0, y0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [b0, y0] = ctx.saved_tensors
        p0 = g0.mul(y0)
        q0 = g0.mul(y0)
        return p0, q0

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v3, v2, v1):
    v4 = _fn_f0.apply(v3, v3)
    v8, v9, v10, v11, v12 = x6.vsplit(5)
    v11.heaviside_(x8)
    return v8, v4, v3, v2

def run(f):
    x0 = _fill("decimal", 32993, 1025, torch.float16).as_strided([1025, 1, 1], [1, 1, 1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([347, 1, 1], [1, 1, 1], 0).detach()
    x2 = torch.tensor([-2, 1, -10, -16], dtype=torch.int32).as_strided([4], [1], 0)
    x3 = torch.tensor(True)
    x4 = torch.tensor([False, True, True, True])
    x5 = _fill("dyadic", 78277, 1025, torch.float16).as_strided([1, 1025, 1, 1], [1025, 1, 1025, 1025], 0)
    x6 = torch.tensor([[0.5], [-0.39990234375], [-0.199951171875], [-0.199951171875], [-0.199951171875]], dtype=torch.float16)
    x7 = _fill("dyadic", 49469, 2049, torch.float16).as_strided([1, 1025], [2050, 2], 0).detach().requires_grad_()
    x8 = torch.tensor([-1.0], dtype=torch.float16).as_strided([1, 1], [1, 1], 0).detach().requires_grad_()
    v3 = _fill("dyadic", 1, 1025, torch.float16).reshape([1025, 1, 1]).requires_grad_()
    v2 = _fill("dyadic", 1, 1025, torch.bool).reshape([1025, 1, 1])
    v1 = _fill("dyadic", 1, 1025, torch.float16).reshape([1025, 1, 1]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v3, v2, v1)
    torch.autograd.backward([r[0], r[1], r[2]], [torch.tensor([[-1.0]], dtype=torch.float16), _fill("dyadic", 19683, 1025, torch.float16).reshape([1025, 1, 1]), _fill("dyadic", 19684, 1025, torch.float16).reshape([1025, 1, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
