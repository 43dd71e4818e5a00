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


def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_of_floats(function, args, where):
    def inner(*floats):
        full = list(args)
        for i, a in zip(where, floats):
            full[i] = a
        return function(*full)
    return inner
def _py_jvp(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    floats = tuple(args[i] for i in where)
    results, tangents = torch.func.jvp(_py_of_floats(function, args, where), floats, floats)
    return [r + t if r.is_floating_point() else r for r, t in zip(results, tangents)]
def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_complex(function, *args):
    return _py_real(function(*[torch.complex(a, a + a) if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def _fn_h0(_hooked):
    a0, g0 = _hooked, _hooked.grad
    with torch.no_grad():
        p0 = g0.abs()
    _hooked.grad = p0

def f(x0, x1, x2, x3, x4, x5, x6, x7):
    _hook0_x1 = x1.register_post_accumulate_grad_hook(_fn_h0)
    v1 = x4.masked_select(x3)
    assert x1.requires_grad
    def _py_block(v1, x5):
        v2 = v1.fmod(x5)
        return (v2,)
    [v2] = _py_jvp(_py_block, v1, x5, )
    def _py_block(x0, v1):
        (v3,) = v1.chunk(1)
        v4 = x0.tril(diagonal=0)
        v5 = v1.expand([1, 0])
        v6 = v5.flip([0])
        return (v3, v4, v5, v6,)
    [v3, v4, v5, v6] = _py_complex(_py_block, x0, v1, )
    v6.bernoulli_()
    return v4, x6

def run(f):
    torch.manual_seed(73736)
    x0 = torch.zeros([0]).as_strided([2048, 0], [1, 1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([0, 2048], [1, 1], 0).detach().requires_grad_()
    x2 = _fill("dyadic", 54974, 1027, torch.int8).as_strided([1025], [1], 2)
    x3 = torch.zeros([0], dtype=torch.bool).as_strided([0, 2048], [2048, 1], 4)
    x4 = torch.zeros([0, 2048], dtype=torch.int16)
    x5 = torch.tensor([], dtype=torch.int16)
    x6 = torch.tensor(-2, dtype=torch.int16)
    x7 = _fill("uniform", 71539, 1030, torch.int16).as_strided([1025], [1], 5)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
