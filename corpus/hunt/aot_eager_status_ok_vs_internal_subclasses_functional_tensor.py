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


def f(x0, x1, x2, x3, x4, v13, v12, v10, v9, v5, v3, v2, v1):
    v4 = torch.ones([2048, 4, 1, 3, 1], dtype=torch.float32)
    v6 = v4.view_as(x3)
    v8 = v6.as_strided([4, 2], [4, 1])
    v11 = torch.ops.aten.selu_.default(v8)
    return v13, v12, v10, v5, v1

def run(f):
    x0 = _fill("uniform", 93068, 1003, torch.float32).as_strided([1000], [1], 3).detach().requires_grad_()
    x1 = torch.tensor(1.1814873218536377).requires_grad_()
    x2 = _fill("uniform", 63344, 24576, torch.float32).as_strided([2048, 4, 1, 3, 1], [1, 6144, 24576, 2048, 24576], 0).detach().requires_grad_()
    x3 = _fill("dyadic", 53204, 24576, torch.int64).reshape([2048, 4, 3, 1])
    x4 = _fill("dyadic", 5408, 2048, torch.float32).requires_grad_()
    v13 = _fill("dyadic", 1, 24576, torch.float32).reshape([2048, 4, 3, 1]).requires_grad_()
    v12 = _fill("dyadic", 1, 32768, torch.float32).reshape([2048, 4, 4, 1]).requires_grad_()
    v10 = torch.tensor([[True, True], [False, True], [True, False], [True, True]])
    v9 = torch.tensor([[True, True], [False, True], [True, False], [True, True]])
    v5 = _fill("dyadic", 1, 49152, torch.float32).reshape([2048, 4, 1, 2, 3]).requires_grad_()
    v3 = _fill("dyadic", 1, 49152, torch.float32).reshape([2048, 4, 1, 2, 3]).requires_grad_()
    v2 = _fill("dyadic", 1, 49152, torch.float32).reshape([2048, 4, 1, 2, 3]).requires_grad_()
    v1 = _fill("dyadic", 1, 1000, torch.float32).requires_grad_()
    r = f(x0, x1, x2, x3, x4, v13, v12, v10, v9, v5, v3, v2, v1)
    torch.autograd.backward([r[1], r[3], r[4]], [_fill("dyadic", 99363, 32768, torch.float32).reshape([2048, 4, 4, 1]), _fill("dyadic", 99365, 49152, torch.float32).reshape([2048, 4, 1, 2, 3]), _fill("dyadic", 99366, 1000, torch.float32)])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
