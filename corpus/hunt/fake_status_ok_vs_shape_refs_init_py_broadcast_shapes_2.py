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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    if not (x2.grad_fn is not None):
        v1 = x0.amax(dim=[1], keepdim=True)
    v2 = x3.amax(dim=[-3])
    v3 = _py_disabled(lambda: torch.ops.aten.index_put.default(x0, [None, x5], x6))
    _py_x = collections.defaultdict(list)
    _py_x["a"].append(torch.tensor([-999, -1000], dtype=torch.int64).reshape([2]).clone())
    v4 = _py_x["a"][0]
    v5 = torch.tensor([-2], dtype=torch.int64).reshape([]).clone()
    v6 = torch.ops.aten.index_put.default(x1, [v4, v5], x6)
    try:
        v7 = x2.amax(keepdim=True)
    finally:
        _py_x = 0
    v8 = torch.ops.aten.index_put.default(v4, [x7], x7, accumulate=True)
    v9 = v5.masked_scatter(x8, v5)
    assert not (x3.requires_grad)
    v10 = torch.where(v7, x3, x3)
    return v9

def run(f):
    x0 = _fill("dyadic", 96700, 3997, torch.int16).as_strided([1000, 1], [4, 2], 0)
    x1 = _fill("dyadic", 83722, 3000, torch.int16).as_strided([1000, 3], [1, 1000], 0)
    x2 = _fill("dyadic", 73849, 4000, torch.bool).as_strided([1000, 1, 4], [4, 4, 1], 0)
    x3 = _fill("dyadic", 48857, 1000, torch.bool).as_strided([1000, 1, 6], [1, 1, 0], 0)
    x4 = _fill("dyadic", 30979, 2000, torch.int16).reshape([1000, 2])
    x5 = torch.tensor([0, 0, 0, 0])
    x6 = torch.tensor(-1, dtype=torch.int16)
    x7 = torch.tensor([1])
    x8 = torch.tensor(False)
    r = [f(x0, x1, x2, x3, x4, x5, x6, x7, x8)]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
