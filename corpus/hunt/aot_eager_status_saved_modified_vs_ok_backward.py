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


def _py_disabled(function):
    return function()
if hasattr(torch, "_dynamo"):
    _py_disabled = torch._dynamo.disable(_py_disabled)


def f(x0, x1, x2, x3, x4, x5):
    assert x1.requires_grad
    x2.copysign_(-1e+39)
    torch.div(x2, x3, rounding_mode='floor', out=x4)
    x2.copysign_(-2.0)
    x4.copysign_(2.5)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v2 = x0.pow(x0)
    _py_x = torch.nn.ModuleDict({"a": torch.nn.Identity()})
    v3 = _py_x["a"](v2.select(-3, 14))
    v4 = x4.abs()
    v5 = _py_disabled(lambda: x5.expand([16, -1, 13]))
    v4.copysign_(1e+30)
    v4.copysign_(1.5)
    v3.copysign_(1e-30)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v8 = v4.copysign_(2.5)
    v8.is_leaf
    return v3, v5

def run(f):
    x0 = _fill("decimal", 33713, 6945, torch.bfloat16).as_strided([16, 31, 14], [434, 14, 1], 1).detach().requires_grad_()
    x1 = torch.ones([], dtype=torch.bfloat16).requires_grad_()
    x2 = x0.detach().as_strided([16, 31, 13], [434, 14, 1], 2)
    x3 = torch.tensor([-15, 14], dtype=torch.int32).as_strided([1, 1, 1], [1, 1, 1], 1)
    x4 = _fill("dyadic", 29195, 6451, torch.bfloat16).as_strided([16, 31, 13], [403, 13, 1], 3)
    x5 = _fill("uniform", 56047, 6448, torch.int16).reshape([16, 31, 13])
    r = f(x0, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[0]], [_fill("dyadic", 24801, 434, torch.bfloat16).reshape([31, 14])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
