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
def _py_disabled(function):
    return function()
if hasattr(torch, "_dynamo"):
    _py_disabled = torch._dynamo.disable(_py_disabled)


def f(x0, x1, x2, x3, x4, x5):
    v1 = _py_disabled(lambda: x1.abs())
    v2 = v1.add(2)
    v3 = torch.amax(x0, dim=-2, out=x2)
    v2.exp2_()
    def _py_f():
        yield None
        yield x2.exp2_()
    _py_x = _py_f()
    next(_py_x)
    _py_none = next(_py_x)
    torch.exp(x4, out=v3)
    v4 = torch.ops.aten.slice.Tensor(v2, dim=1, start=0)
    torch.amax(x2, out=x4)
    v5 = torch.ops.aten.slice.Tensor(v4, dim=-2, start=394)
    def _py_f(_py_n):
        return _py_f(_py_n - 1) if _py_n else v5.exp2_()
    _py_none = _py_f(2)
    v4.exp2_()
    _py_x = collections.deque([None], maxlen=1)
    _py_x.append(torch.amax(v3, out=x5))
    _py_none = _py_x[0]
    return v2, v1

def run(f):
    x0 = _fill("decimal", 79681, 2048, torch.float32).as_strided([2048, 1], [1, 1], 0)
    x1 = x0.detach().as_strided([683, 1], [1, 1], 0).detach().requires_grad_()
    x2 = torch.tensor([1.1139382123947144, 0.7790293097496033, 1.2419466972351074, 1.693488597869873, 1.555470585823059]).as_strided([1], [1], 4)
    x3 = _fill("dyadic", 76341, 1365, torch.float32).as_strided([683, 1], [2, 1], 0)
    x4 = torch.tensor(1.5)
    x5 = torch.tensor(0.30000001192092896)
    r = f(x0, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[0], r[1]], [_fill("dyadic", 3613, 683, torch.float32).reshape([683, 1]), _fill("dyadic", 3614, 683, torch.float32).reshape([683, 1])])
    x5.requires_grad_(True)
    x2.requires_grad_(True)
    x1.grad = None
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5)
    return torch.empty(0, dtype=x2.dtype).set_(x2.untyped_storage())

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
