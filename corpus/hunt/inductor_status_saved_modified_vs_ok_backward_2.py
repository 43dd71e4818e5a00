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


def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = x0.tanh()
    v2 = v1.reciprocal()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v3 = v2.mul(x2)
    v4 = v3.matmul(x3)
    v5 = v2.matmul(x4)
    v6 = x2.matmul(x5)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v7 = x5[0:-1:3, None, 9]
    v8 = v4.tanh()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v3.masked_scatter_(x6, x0)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v10 = x6.mul(x7)
    v11 = x5.reciprocal()
    return v10, v11, v8, v6, v5, v4, v3, v2

def run(f):
    x0 = _fill("dyadic", 27167, 899, torch.bfloat16).as_strided([100, 8], [9, 1], 0).detach().requires_grad_()
    x1 = _fill("decimal", 95277, 12603, torch.bfloat16).as_strided([100, 63, 1, 1], [126, 2, 2, 2], 4).detach().requires_grad_()
    x2 = torch.tensor([-2], dtype=torch.int8)
    x3 = torch.tensor([[1.0, -0.30078125, -0.80078125, 0.400390625, 0.5, 0.6015625, -0.10009765625, 1.0, -1.0, -1.203125, -0.80078125, -0.8984375, 0.10009765625, -0.69921875, 0.69921875, 0.6015625, -0.80078125], [0.400390625, -0.6015625, 1.203125, -1.6015625, 0.69921875, 0.0, -0.10009765625, -0.400390625, 0.69921875, -0.400390625, 0.400390625, 1.203125, -0.6015625, -1.6015625, -0.80078125, -0.30078125, 1.0], [0.5, 1.203125, 1.203125, 0.10009765625, -0.6015625, 0.30078125, 0.400390625, 1.3984375, 0.2001953125, -0.2001953125, -1.5, -1.203125, -1.5, -1.203125, -1.6015625, 1.6015625, -0.30078125], [-1.1015625, 0.6015625, -1.296875, -1.3984375, -0.2001953125, -0.69921875, -1.3984375, 1.296875, -1.203125, 0.0, -0.30078125, 1.3984375, -0.10009765625, 0.400390625, 0.5, 1.0, -1.0], [-0.10009765625, 0.400390625, 0.30078125, 1.0, -1.5, 0.0, -1.1015625, -1.0, 0.2001953125, 0.30078125, 0.80078125, 1.1015625, -0.2001953125, 1.3984375, -1.3984375, -0.69921875, -1.3984375], [-0.80078125, 1.203125, -0.80078125, -0.80078125, -0.10009765625, -0.69921875, -0.80078125, -0.69921875, 1.0, -1.5, 0.6015625, -0.69921875, 0.2001953125, 1.6015625, -0.80078125, 0.2001953125, 1.3984375], [0.10009765625, 0.400390625, 1.203125, -1.296875, 0.400390625, -0.30078125, 0.69921875, -0.30078125, -1.3984375, -0.69921875, -0.5, -0.5, -1.1015625, 0.8984375, 0.6015625, 1.3984375, 0.400390625], [-0.2001953125, -0.8984375, -1.0, 1.1015625, 0.6015625, 1.0, -0.69921875, 1.0, 1.296875, 1.1015625, -0.5, -1.3984375, 0.10009765625, 0.6015625, 0.80078125, -0.80078125, 0.69921875]], dtype=torch.bfloat16).requires_grad_()
    x4 = torch.tensor([-0.875, -1.625, 1.875, 0.0, 1.625, 1.0, 1.75, -0.75, 0.5, -0.375, -1.25, -1.5, 1.5, -1.5, 0.75], dtype=torch.bfloat16).as_strided([8], [2], 0).detach().requires_grad_()
    x5 = torch.tensor([-15, -13, -8, 16, -2, -1, -1, -3, 8, 13, -4, -16, -4, 0, -9, -13, 5], dtype=torch.int8).as_strided([1, 17], [17, 1], 0)
    x6 = torch.tensor(True)
    x7 = torch.tensor(True)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    torch.autograd.backward([r[2], r[4], r[5], r[6], r[7]], [_fill("dyadic", 71891, 1700, torch.bfloat16).reshape([100, 17]), torch.tensor([-1.875, -0.625, -1.25, -0.25, 1.0, 0.625, -0.375, 0.0, -0.875, -1.125, 1.75, -1.5, 0.75, 1.25, 0.625, -0.25, 0.75, -0.25, -0.625, -1.125, 1.0, -1.75, 1.75, -1.5, 0.375, 1.25, 1.125, 0.5, -0.125, 1.125, 0.625, -1.875, -1.75, 0.5, 1.375, -1.625, -1.0, -1.375, 1.375, 1.625, 1.375, 1.25, 2.0, 1.625, -1.0, 0.75, 0.25, 2.0, -0.125, -1.25, -1.875, 0.375, 0.625, -1.375, -0.875, -1.875, -1.625, -0.625, -0.625, 1.375, -2.0, 1.125, -0.375, 0.5, 1.25, -0.375, 0.375, 1.75, -0.875, 0.375, -1.125, 2.0, -0.75, -0.375, -2.0, -0.375, 0.25, -1.75, 0.5, 1.0, 0.5, 1.875, -1.75, 0.875, 1.625, 2.0, 0.5, 0.25, -1.625, -0.125, -0.625, 0.125, -0.25, 1.0, -0.625, 0.0, -1.75, 1.75, 1.125, 0.25], dtype=torch.bfloat16), _fill("dyadic", 71894, 1700, torch.bfloat16).reshape([100, 17]), _fill("dyadic", 71895, 800, torch.bfloat16).reshape([100, 8]), _fill("dyadic", 71896, 800, torch.bfloat16).reshape([100, 8])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
