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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = x0.abs()
    v2 = v1.add(1)
    v4 = x2.le(0)
    v5 = x2.sinh()
    v6 = x2.sinh()
    v7 = v4.narrow_copy(1, 1, 0)
    v8 = v4.narrow_copy(-1, 1, 0)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v9 = v6.std(None, correction=2)
    v10 = torch.ops.aten.view_copy.default(v6, [])
    v11 = torch.ops.aten.view_copy.default(v8, [0, 7])
    v12 = torch.ops.aten.view_copy.default(v8, [0, 7])
    v1.floor_divide_(v2)
    v8[[-1], 0:1] = 3
    v13 = x6.unsqueeze(3)
    v14 = x4.permute([-2, 2, 0])
    v15 = x8.min()
    v16 = x8.min()
    return v5, v6, v7, v8, v11, v12, v15, v16

def run(f):
    x0 = torch.tensor([22, 28, 26, 14, 20], dtype=torch.uint8).as_strided([1, 1], [1, 1], 4)
    x1 = _fill("dyadic", 53909, 836, torch.uint8).as_strided([7, 8, 1, 7], [120, 15, 14, 1], 4)
    x2 = torch.tensor([5], dtype=torch.int32).as_strided([1, 1], [1, 0], 0)
    x3 = torch.tensor([True]).as_strided([1], [0], 0)
    x4 = torch.tensor([True, True, False, True, True, False, True, False, True, True, True, False, True, True]).as_strided([9, 1, 1], [1, 1, 1], 5)
    x5 = torch.zeros([9, 1, 0], dtype=torch.bool)
    x6 = torch.zeros([1, 0, 8], dtype=torch.bool)
    x7 = torch.tensor([[[True, True, False, False, True, True, False], [False, False, True, True, True, True, True], [True, True, True, False, False, False, False], [False, True, False, True, False, False, True], [True, False, True, True, False, False, False], [True, True, False, False, False, False, False], [False, False, False, False, True, False, True], [False, True, False, True, False, True, False]]])
    x8 = torch.tensor([1, -5, -16, -16, 16, -8, -9, -7, 11, -10, 6, 7, 13, -13], dtype=torch.int8).as_strided([1, 1, 9], [1, 1, 1], 5)
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return [t.untyped_storage().data_ptr() == r[3].untyped_storage().data_ptr() for t in [x0, x1, x2, x3, x4, x5, x6, x7, x8, r[0], r[1], r[2]]]

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
