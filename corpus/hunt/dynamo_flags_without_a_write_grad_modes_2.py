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


class _PyModes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
    def forward(self, function, *args):
        if self.training:
            self.seen.add_(1)
        results = function(*args)
        return [r * self.seen.clone() if r.is_floating_point() else r for r in results]
_py_modes = _PyModes()
def _py_module_modes(function, *args):
    _py_modes.seen.zero_()
    first, second = _py_modes.train()(function, *args), _py_modes.eval()(function, *args)
    return [b + a if a.is_floating_point() else a for a, b in zip(first, second)]


class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.sub(b0)
        z0 = a0.mul(3)
        ctx.mark_non_differentiable(z0)
        return y0, z0
    @staticmethod
    def backward(ctx, g0, h0):
        p0 = g0.neg()
        q0 = g0.neg()
        return p0, q0

def f(x0, x1, x2, x3, v9, v8, v7):
    v1 = x1.ger(x3)
    v2 = v1.exp()
    v3, v4 = _fn_f0.apply(v2, v2)
    v5 = v2.fix()
    v6 = v3.matmul(x3)
    def _py_block(v4):
        v10 = torch.tensor([0.25], dtype=torch.float32).reshape([]).clone()
        v11 = torch.ops.aten.hardswish.default(v4)
        return (v10, v11,)
    [v10, v11] = _py_module_modes(_py_block, v4, )
    return v8, v10, v2, v11, v9, v7, v6

def run(f):
    x0 = torch.tensor([-1.625, -1.375, -0.625, -1.875, 0.125, -1.0, -1.75, -0.375, 1.75, 0.25, -0.375, 1.375, 0.875, 0.625, 1.875]).as_strided([1025, 15], [0, 1], 0)
    x1 = _fill("uniform", 14511, 1028, torch.float32).as_strided([1025], [1], 3).detach().requires_grad_()
    x2 = _fill("decimal", 13309, 1025, torch.float32)
    x3 = torch.arange(1.0).as_strided([9], [0], 0)
    v9 = torch.tensor(4)
    v8 = torch.tensor([4])
    v7 = _fill("dyadic", 1, 6150, torch.float32).reshape([1025, 6])
    r = f(x0, x1, x2, x3, v9, v8, v7)
    return r[3].requires_grad

compiled = torch.compile(f, backend="eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
