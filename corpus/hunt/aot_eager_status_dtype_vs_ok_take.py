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


def _py_item(function, *args):
    return function(*[torch.full_like(a, a.item()) if a.numel() == 1 else a for a in args])


def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = torch.tensor([0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0], dtype=torch.int64).reshape([7, 4]).clone()
    torch.take(x2, v1, out=x3)
    v2 = torch.ops.aten.hardswish_.default(x3)
    v3 = torch.ops.aten.special_xlog1py.default(x3, x3)
    x3.zero_()
    def _py_block(v2, v3, x4, x5):
        v4 = v2.index_add(0, x4, x5, alpha=0.5)
        v5 = v3.diag()
        return (v4, v5,)
    [v4, v5] = _py_item(_py_block, v2, v3, x4, x5, )
    x5.log1p_()
    x5.log1p_()
    return v3, x5, x6

def run(f):
    try:
        x0 = _fill("uniform", 95685, 8640, torch.float64).reshape([9, 64, 15]).requires_grad_()
        x1 = _fill("dyadic", 27784, 480, torch.float16).reshape([15, 32, 1]).requires_grad_()
        x2 = _fill("dyadic", 32632, 448, torch.float64).reshape([7, 64])
        x3 = torch.tensor([[0.5, 2.220446049250313e-16, -0.0, 2.2250738585072014e-308], [float('nan'), -1.0, -0.0, -2.0], [2.220446049250313e-16, float('nan'), 2.220446049250313e-16, 2.2250738585072014e-308], [-2.0, 0.0, 0.0, float('-inf')], [float('-inf'), 1.7976931348623157e+308, float('inf'), 2.2250738585072014e-308], [2.220446049250313e-16, -2.0, -2.0, -2.0], [float('inf'), float('nan'), 0.0, float('nan')]], dtype=torch.float64)
        x4 = torch.tensor([0, 0, 0], dtype=torch.int32)
        x5 = torch.tensor([[-1.0, 0.5, float('inf'), -2.0], [-1.0, -2.0, float('-inf'), 1.7976931348623157e+308], [-0.0, 0.5, -1.0, float('inf')]], dtype=torch.float64)
        x6 = torch.tensor([[11, 10, 14, -8], [2, 16, 12, 16], [-4, -15, -4, -16]], dtype=torch.int32)
        r = f(x0, x1, x2, x3, x4, x5, x6)
    except Exception:
        pass
    x0 = _fill("uniform", 37549, 8640, torch.float64).reshape([9, 64, 15]).requires_grad_()
    x1 = _fill("dyadic", 64360, 480, torch.float16).reshape([15, 32, 1]).requires_grad_()
    x2 = _fill("dyadic", 11651, 448, torch.float64).reshape([7, 64])
    x3 = torch.tensor([[float('-inf'), 1.1920928955078125e-07, -2.0, float('inf')], [0.5, -0.0, -1.0, -2.0], [float('nan'), 0.0, 3.4028234663852886e+38, float('nan')], [float('inf'), -2.0, float('inf'), 1.1754943508222875e-38], [3.4028234663852886e+38, -0.0, 0.5, 1.0], [float('-inf'), 0.0, 0.5, 1.1754943508222875e-38], [-2.0, 0.0, 1.1920928955078125e-07, float('inf')]])
    x4 = torch.tensor([0, 0, 0], dtype=torch.int32)
    x5 = torch.tensor([[-2.0, 2.2250738585072014e-308, -1.0, -0.0], [-2.0, 1.0, -2.0, 0.5], [float('nan'), 1.7976931348623157e+308, -2.0, 2.220446049250313e-16]], dtype=torch.float64)
    x6 = torch.tensor([[11, 10, 14, -8], [2, 16, 12, 16], [-4, -15, -4, -16]], dtype=torch.int32)
    r = f(x0, x1, x2, x3, x4, x5, x6)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
