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


import collections
_PyPair = collections.namedtuple("_PyPair", "first second")
class _PySlots:
    __slots__ = ("value",)


class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        ctx.save_for_backward(a0, b0, a0)
        return a0
    @staticmethod
    def backward(ctx, g0):
        [a0, b0, a0] = ctx.saved_tensors
        p0 = g0.mul(2)
        q0 = g0.neg()
        return p0, q0

def f(x0, x1, x2, x3, x4):
    v1 = x0.abs()
    v2 = v1.add(3)
    _py_x = _PySlots()
    _py_x.value = v2.neg()
    v3 = _py_x.value
    v4 = _fn_f0.apply(x1, x1)
    v5 = v4.angle()
    v6 = v1.masked_fill(x2, False)
    v7 = next(_py_v for _py_v in (v6.rsqrt(),))
    v8 = x2.diff(n=16, dim=1, prepend=x2, append=x2)
    v9 = v6.sigmoid()
    _py_x = _PyPair(x3.bernoulli(), 0)
    v10 = _py_x.first
    v11 = v5.absolute()
    v12 = x4.rsqrt()
    return v12, v11, v10, v9, v8, v7, v3

def run(f):
    torch.manual_seed(68022)
    x0 = _fill("dyadic", 56814, 2173, torch.float64).as_strided([64, 16], [34, 2], 0).detach().requires_grad_()
    x1 = torch.tensor([-0.25, -1.875, 0.75, 0.125, 1.125, -0.25, -1.0, -0.75, -0.625, -1.75, 0.25, 0.75, 2.0, -0.25, 1.875, 1.75, 1.25, -1.75, -0.875, -0.75, -0.25, 1.125, 1.25, 1.75, -0.375, -0.875, 2.0, 0.375, -0.125, -2.0, -1.625, 0.875, -1.875, 0.125, 0.625, -1.0, -1.875, 1.625, 0.875, -1.25, -1.875, 0.25, 0.125, 0.75, -2.0, 0.375, -1.625, -0.25, 1.5, -1.625, -1.25, -1.625, -0.875, 0.0, 1.375, 0.625, 1.375, -1.5, -0.125, 0.375, 1.125, 0.125, 0.875, -0.875, 0.125, -2.0, 0.625, 0.0, 1.5, 1.125, 1.25, 0.375, 1.0, 0.5, -0.125, -0.375, 1.625, 1.75, 0.0, 0.125, 1.375, 0.5, 0.5, -0.375, 1.375, 1.75, 0.75, 0.125, 0.375, -1.0, -2.0, 1.375, 0.875, 1.875, -1.625, 1.5, 0.0, 1.75, 1.125, -1.875, -0.625, -2.0, -0.125, -0.125, -1.75, 1.125, 1.5, 1.375, -0.375, 1.5, -0.125, -1.375, -0.75, 0.125, -1.25, 1.0, 1.25, -0.125, -0.875, -1.875, -1.875, 0.5, 0.5, -1.25, -1.5, 1.625, -1.0, -1.125, -0.375, -1.75, 2.0, -0.25, -0.875, 1.25, -1.25, -0.625, -0.5, 0.25, -0.75, 1.25, 0.5, 1.375, -0.5, -1.875, -0.625, -1.625, -0.25, -1.0, -1.25, -0.25, -1.5, 1.625, 0.5, -0.875, -1.5, -2.0, 0.375, -0.25, -1.875, -0.875, -1.5, 1.75, 1.625, -0.75, 1.875, 1.25, -1.75, -0.875, -1.5, -1.5, -1.5, 0.875, -0.5, -1.5, 1.375, 0.25, -1.25, 1.125, -1.75, 1.0, -1.5, -1.0, 0.5, 0.75, -1.25, -1.25, -0.75, -1.5, 0.875, -1.75, 0.625, 0.375, 0.25, 1.875, -1.0, -1.875, 1.75, 0.5, -1.875, 1.5, 0.875, 1.75, -0.625, 1.375, 0.25, -1.5, -1.5, 0.75, -1.375, 1.75, 1.0, -0.875, 0.125, 0.875, 0.375, -1.0, 0.125, -1.0, -1.0, 1.375, 0.375, 0.0, 0.375, 1.75, -1.5, 1.75, -0.625, 1.5, 0.875, -0.875, -1.875, -0.875, 0.875, 0.375, -1.625, 1.625, 0.75, 1.625, -1.125, 1.5, -1.125, 0.75, 1.5, 1.0, -1.125, -1.75, -1.25, 1.375, 0.75, -2.0, -0.25, -1.0, 1.375, 1.375, 1.0, 1.75], dtype=torch.float16).as_strided([16, 64, 2, 2], [0, 4, 2, 1], 0)
    x2 = torch.tensor([True, False, True, False, False, False, True, True, False, True, True, False, False, False, False, True, True, False, False, False, True, True, True, True, True, False, False, True, False, False, True, False, True, False, True, False, False, True, False, False, True, False, False, False, True, True, False, False, False, True, False, False, True, False, True, True, True, False, True, False, False, True, True, True]).as_strided([64, 16], [1, 0], 0)
    x3 = torch.tensor([[0.3, -0.5, 0.3, 1.5, 0.7, 0.6, 0.3, -1.2, -1.1, 1.5, -0.2, -1.2, -0.4, -0.7, -1.5, -0.5]], dtype=torch.float64)
    x4 = torch.tensor([[[1.076600513767488, -1.1381075456412297, -1.8160777821862273, 1.87239021204075, -0.4054478176265257, -0.2755198207975518, -1.848565952732609, 1.0286845528917046, -0.6718184322107574, -1.1278653572509412, -1.3256557591955844, 0.443985291268139, 1.4893479774137557, -0.9079698585366525, 0.7520619220206788, -1.7940064430915412]]], dtype=torch.float64)
    r = f(x0, x1, x2, x3, x4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
