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


_py_dict = {}
def _results(returned):
    return list(_py_dict.values())


class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0):
        y0 = a0.tanh()
        z0 = torch.ops.aten.alias.default(a0)
        ctx.save_for_backward(z0)
        return y0, z0
    @staticmethod
    def backward(ctx, g0, h0):
        [z0] = ctx.saved_tensors
        p0 = g0.neg()
        return p0

def _fn_h1(g0):
    if not (g0 is None):
        g0 = g0.neg()
    return g0

def _fn_h2(g0):
    if not (g0 is None):
        with torch.no_grad():
            g0 = g0.abs()
    return g0

def f(x0, x1, x2, x3, x4, x5):
    v1, v2 = _fn_f0.apply(x1)
    v3 = torch.feature_alpha_dropout(x2, 0.75, True)
    v4 = x2.narrow(-1, 13, 46)
    v4.acosh_()
    torch.ops.aten.celu_.default(v3, alpha=2)
    v3.scatter_(0, x3, 1.5)
    _hook1_v4 = v4.register_hook(_fn_h1)
    _hook1_v4.remove()
    v2.absolute_()
    v3.asin_()
    v2.abs_()
    _hook2_x0 = x0.register_hook(_fn_h2)
    v5 = x4.expand([-1, 1025])
    v6 = v3.var(unbiased=False)
    _py_dict.clear()
    _py_dict["r0"] = x3
    _py_dict["r1"] = v6
    _py_dict["r2"] = x5
    return None

def run(f):
    torch.manual_seed(26418)
    x0 = _fill("dyadic", 97576, 4225, torch.float64).reshape([65, 65]).requires_grad_()
    x1 = _fill("uniform", 5194, 3075, torch.float64).as_strided([3, 1025], [1025, 1], 0).detach()
    x2 = _fill("dyadic", 26083, 4290, torch.float64).reshape([66, 65]).requires_grad_()
    x3 = torch.tensor([[0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1]])
    x4 = _fill("dyadic", 36483, 3075, torch.uint8).reshape([3, 1025])
    x5 = _fill("uniform", 15651, 3075, torch.int16).reshape([3, 1025])
    with torch.no_grad():
        r = _results(f(x0, x1, x2, x3, x4, x5))
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
