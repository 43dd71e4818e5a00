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
def _results(returned):
    return [returned[key] for key in sorted(returned)]


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    assert x1.is_contiguous()
    v1 = x2.index_reduce(1, x3, x4, 'amax')
    v2 = x4.rot90(k=2, dims=[2, -3])
    v3 = x3.scatter(0, x5, -1, reduce='add')
    v4 = torch.ops.aten.expand_copy.default(x4, [-1, -1, 29])
    v5 = x6.triu(diagonal=-1)
    v6 = torch.exp(v3, out=x7)
    v7 = x6.masked_scatter(x8, x6)
    v8 = v4.exp()
    v9 = x8.diag_embed(offset=-1, dim2=1)
    v10 = v6.round_()
    v11 = torch.ops.aten.avg_pool3d.default(v7, [1, 3, 3], stride=[2, 3, 1], padding=[0, 0, 1])
    v12 = torch.ops.aten.special_entr.default(x8)
    v1.add_(1.5, alpha=-2.0)
    v13 = torch.tensor([26, 31, 1, 27, 3, 16], dtype=torch.int64).reshape([1, 1, 1, 6]).clone()
    v14 = torch.ones([1, 1, 1, 6], dtype=torch.float32)
    v15 = v12.scatter_reduce(2, v13, v14, 'amax', include_self=False)
    x6.requires_grad
    _py_left = collections.OrderedDict()
    _py_left[0] = v15
    _py_left.move_to_end(0)
    _py_left[1] = v9
    _py_left.move_to_end(0)
    return _py_left

def run(f):
    x0 = _fill("dyadic", 41307, 34851, torch.float32).as_strided([32, 33, 33], [1089, 33, 1], 3).detach().requires_grad_()
    x1 = x0.detach().as_strided([1, 33, 33], [1089, 33, 1], 3).detach()
    x2 = _fill("decimal", 64661, 33757, torch.float16).as_strided([33, 33, 29], [1023, 31, 1], 0).detach().requires_grad_()
    x3 = torch.zeros([0], dtype=torch.int64)
    x4 = torch.zeros([0]).as_strided([33, 0, 29], [29, 29, 1], 2).detach()
    x5 = torch.zeros([0], dtype=torch.int64)
    x6 = _fill("dyadic", 3217, 1089, torch.float32).reshape([1, 1, 33, 33])
    x7 = torch.zeros([0]).as_strided([0], [1], 0).detach()
    x8 = _fill("uniform", 32761, 1089, torch.bool).as_strided([1, 1, 33, 33], [1089, 1, 33, 1], 0).detach()
    with torch.no_grad():
        r = _results(f(x0, x1, x2, x3, x4, x5, x6, x7, x8))
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
