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
        y0 = a0.neg()
        ctx.set_materialize_grads(False)
        return y0
    @staticmethod
    def backward(ctx, g0):
        if not (g0 is None):
            g0 = g0.neg()
        return g0

def f(x0, x1, x2, x3, x4, x5):
    v1 = x0.abs()
    v2 = v1.add(2)
    v3, v4, v5, v6 = x3.split_with_sizes([3, 52, 7, 1], dim=0)
    v7 = v5.sin()
    v8 = _fn_f0.apply(x0)
    v6.as_strided_([1, 1], [1, 4], storage_offset=0)
    v9 = v6.new_ones([0, v4.size(1)], dtype=torch.float64)
    v6.zero_()
    v10 = torch.ops.aten.binary_cross_entropy.default(v9, x4, weight=x5)
    _py_dict.clear()
    _py_dict["r0"] = v9
    _py_dict["r1"] = v8
    return None

def run(f):
    x0 = _fill("decimal", 22501, 3077, torch.bfloat16).as_strided([1025, 3, 1], [3, 1, 1], 2)
    x1 = _fill("dyadic", 25537, 1025, torch.bfloat16).requires_grad_()
    x2 = torch.tensor([0.375, 1.0, -0.75, -1.25, -1.125, 1.625, 1.375, 0.125, -1.0, -0.25, 0.625, 0.25, 0.375, -0.25, 1.25, 2.0, 1.875, -2.0, 2.0, 1.0, 1.25, 1.875, 0.625, 0.875, -0.875, 0.125, 0.0, 0.875, 0.5, -0.5, -0.875, 0.625, -0.5, 1.125, -0.25, -0.375, 1.875, -2.0, -0.625, 1.625, -0.5, -0.25, -1.5, 1.125, 1.875, 1.625, -0.75, 1.5, -0.875, 0.0, 1.25, -1.75, -1.125, -1.0, -1.5, -1.375, 0.125, -0.25, -0.625, -0.5, 0.25, -0.5, 1.625], dtype=torch.bfloat16).as_strided([63, 63], [0, 1], 0)
    x3 = _fill("dyadic", 4623, 3969, torch.int16).reshape([63, 63])
    x4 = torch.tensor([], dtype=torch.float64)
    x5 = torch.tensor([0.25, -0.25, -0.125, -1.375, -0.25, 0.5, -1.0, 1.0, 0.625, -1.875, -0.625, 1.375, 1.125, 0.625, 1.875, 1.625, 0.875, 1.25, 1.5, -2.0, -0.5, -1.875, -0.125, 0.125, -1.375, -0.875, 0.625, -0.5, -0.125, -0.75, 2.0, -1.125, -1.125, 0.125, 0.0, -0.625, -1.875, -0.375, -0.75, 1.5, -0.25, 0.5, -0.875, -0.75, -0.125, 2.0, -1.625, 0.25, 0.625, 0.75, 0.625, -1.625, -0.75, 2.0, 0.625, -0.125, -1.25, -0.75, 0.25, -1.5, 1.375, -1.75, -0.875], dtype=torch.float64)
    r = _results(f(x0, x1, x2, x3, x4, x5))
    return torch.empty(0, dtype=x3.dtype).set_(x3.untyped_storage())

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
