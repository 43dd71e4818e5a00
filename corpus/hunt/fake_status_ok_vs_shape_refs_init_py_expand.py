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


import functools
def _py_decorator(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapped


def f(x0, x1, x2):
    def _py_f(_py_n):
        if _py_n > 1:
            return None
        return x1.clamp_min_(x1)
    v1 = _py_f(1)
    v1.swapdims_(1, 0)
    @_py_decorator
    def _py_f():
        return torch.ops.aten.replication_pad2d.default(x2, [1, -2, 0, 0])
    v2 = _py_f()
    v3 = v2.moveaxis(-2, 1)
    v4 = v3.moveaxis(0, 1)
    return v2, v4

def run(f):
    x0 = _fill("uniform", 25415, 1000, torch.float16).reshape([1, 1000]).requires_grad_()
    x1 = _fill("dyadic", 60028, 1000, torch.float16).as_strided([1000, 1], [1, 1000], 0).detach().requires_grad_()
    x2 = torch.tensor([[[1.125, -1.75, 0.0, -1.75], [0.375, 0.25, 0.875, -1.875], [-2.0, 1.0, -1.75, 1.0], [1.75, 1.625, -0.625, -0.625]]], dtype=torch.float16).requires_grad_()
    with torch.no_grad():
        r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
