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
class _PyItems:
    def __init__(self):
        self.held = {}
    def __setitem__(self, key, value):
        self.held[key] = value
    def __getitem__(self, key):
        return self.held[key]
def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_conjugate(function, *args):
    return _py_real(function(*[torch.complex(a, a + a).conj() if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = torch.where(x2, x0, x0)
    v1.div_(-1, rounding_mode=None)
    v1[11:, ::2, None, 1:1, 0:1:2] = x3
    v2 = torch.ops.aten.slice.Tensor(v1, dim=-1, end=1048576)
    _py_x = collections.OrderedDict(a=torch.where(x2, x0, v1), b=None)
    _py_x.move_to_end("a")
    v3 = list(_py_x.values())[-1]
    torch.rsqrt(x2, out=x4)
    def _py_block(x5, x7):
        v4 = x5.bmm(x7)
        v5 = x5.exp()
        return (v4, v5,)
    [v4, v5] = _py_conjugate(_py_block, x5, x7, )
    _py_x = _PyPair(x5.view([700, x3.size(1)]), 0)
    v6 = _py_x.first
    v7 = x6.view([7, 1, 64])
    def _py_f(_py_x=v4.tanh_()):
        return _py_x
    _py_none = _py_f()
    v8 = (lambda *_py_a, **_py_k: _py_a[0])(v4[[2, 1], 76:76, :0], 1, a=2)
    return v8, v5, v3, v2

def run(f):
    x0 = torch.zeros([0], dtype=torch.float64).as_strided([64, 2, 0, 0], [2, 1, 1, 1], 4).detach().requires_grad_()
    x1 = x0.detach().as_strided([64, 0, 2, 0], [2, 1, 1, 1], 4).detach().requires_grad_()
    x2 = torch.zeros([0], dtype=torch.bool).as_strided([0], [0], 0)
    x3 = torch.zeros([0], dtype=torch.float64).as_strided([53, 1, 1, 0, 1], [1, 0, 1, 1, 1], 0)
    x4 = torch.ones([0]).as_strided([0], [1], 4)
    x5 = _fill("decimal", 98204, 704, torch.float64).as_strided([7, 100, 1], [100, 1, 1], 4).detach().requires_grad_()
    x6 = _fill("uniform", 72100, 448, torch.float64).as_strided([7, 1, 64], [64, 0, 1], 0).detach().requires_grad_()
    x7 = torch.zeros([0], dtype=torch.float64).as_strided([7, 1, 0], [1, 1, 1], 4).detach().requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
