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
import contextlib
class _PyItems:
    def __init__(self):
        self.held = {}
    def __setitem__(self, key, value):
        self.held[key] = value
    def __getitem__(self, key):
        return self.held[key]
class _PyError(Exception):
    pass
@contextlib.contextmanager
def _py_managed():
    held = []
    yield held


def f(x0, x1, x2, x3, x4):
    v1 = x1.narrow(0, 5, 4)
    v2 = torch.ops.aten.slice.Tensor(x0, start=1048576, end=66)
    with _py_managed() as _py_x:
        _py_x.append(torch.ops.aten.pixel_shuffle.default(x3, 65))
    v3 = _py_x[0]
    v4 = torch.ops.aten.pixel_shuffle.default(x4, 65)
    v5 = x4.fliplr()
    v6 = v5.fliplr()
    try:
        raise _PyError()
    except _PyError:
        _py_x = 0
    v7 = v6.narrow_copy(1, 750, 315)
    torch.ops.aten.threshold_.default(v6, -2, 32767)
    if not (x3.is_leaf):
        v9 = x3.detach()
        v8 = v9.detach()
    else:
        def _py_f(_py_n):
            if _py_n > 1:
                return None
            return v7.narrow_copy(-1, 2, 84)
        v10 = _py_f(1)
        _py_x = _PyItems()
        _py_x["a"] = x3.detach()
        v11 = _py_x["a"]
        _py_x = collections.defaultdict(list)
        _py_x["a"].append(v11.mul(4))
        v8 = _py_x["a"][0]
    return v4, v6, v8, v3

def run(f):
    x0 = _fill("uniform", 13675, 3510, torch.float32).reshape([65, 27, 2]).requires_grad_()
    x1 = _fill("decimal", 42916, 900, torch.float32).reshape([9, 100])
    x2 = _fill("dyadic", 93916, 900, torch.float32).reshape([9, 100]).requires_grad_()
    x3 = torch.zeros([0, 27, 4]).requires_grad_()
    x4 = torch.zeros([0, 1755, 260], dtype=torch.int32)
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[3]], [torch.zeros([0, 1755, 260])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
