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


def f(x0, x1, x2, x3, x4, v13, v12, v8, v4):
    v1 = x1.abs()
    v2 = v1.add(2)
    v3 = v2.neg()
    v5 = v4.argwhere()
    v6 = torch.ops.aten.glu.default(v1, dim=2)
    v7 = v6.sub_(-0.75)
    v9, v10, v11 = torch.autograd.grad([v3, v3], [v2, x1, v3], grad_outputs=[v3, x0], retain_graph=True, allow_unused=True)
    if v9 is None: del v9
    if v10 is None: del v10
    if v11 is None: del v11
    v14 = torch.ops.aten.reflection_pad1d.default(v1, [0, 1])
    v14.xlogy_(v14)
    return v14, v13, v12, v11, v10, v9, v8, v7

def run(f):
    x0 = torch.tensor([0.75, -0.25, -0.75, -1.5, -0.5, 1.125, 1.625, -1.25, -1.875, 1.125, -1.0, -1.625, -0.75, 1.25, 0.625, -1.875, 1.75, 0.25, -0.625, 1.875, -0.375, 1.25, -0.25, 0.25, -0.375, -1.5, -1.875, 0.125, -1.25, -1.75, -1.5, -0.75, -1.875, 1.75, 1.25, 0.0, 1.875, -1.5, 1.125, -0.25, 1.375, 0.75, 0.0, -0.75, -0.625, 1.5, 0.125, -1.375, 1.75, -1.375, -0.625, 1.625, 0.625, -1.5, 0.125, 2.0, -1.0, -0.25, -1.875, -0.875, -0.25, 1.625, -1.125, -1.75, 1.125, -0.25, -0.625, 0.5, 0.125, -1.875, 2.0, -1.625, 0.5, -1.75, 0.875, -0.25, -0.375, -0.125, 0.875, 0.75, 1.0, 1.0, -0.375, 1.5, 1.875, 1.125, -1.25, -0.875, -1.5, -1.5, -2.0, 0.0, -1.25, 0.25, 1.0, 1.375, -1.75, 1.875, 0.125, -0.625, 0.125, -2.0, -0.25, 0.125, -0.375, -1.75, -0.75, 1.875, 0.25, 1.5, 0.375, -0.5, -0.375, 1.375, -1.75, -0.25, -1.5, -0.875, -0.25, 1.375, 0.25, -0.25, -1.25, 0.25, 2.0, 0.375, -1.0, 0.5, 1.875, -0.75, 1.5, -0.5, -1.5, -1.0, -1.125, -1.0, 0.75, -0.375, -0.75, -1.375, 1.5, 1.625, -1.75, -1.875, 1.125, -1.625, 1.625, 0.375, -0.375, 1.625, -0.125, 0.875, 1.875, -1.75, -0.75, -1.625, 2.0, -0.75, 0.625, -2.0, -1.5, -0.125, -0.5, -1.25, 1.625, -1.75, 0.25, 1.125, 0.625, -0.75, -1.625, 1.25, 1.875, -1.5, -1.0, 1.875, 1.125, -0.375, -1.5, 1.125, -0.125, 1.875, 0.125, -0.125, 0.5, -0.625, -0.875, -0.125, -0.25, -1.25, 1.0, 0.875, -1.5, -1.0, 1.625, 1.5, -1.375, 1.375, -1.25, 0.0, -2.0, -0.5, -0.375, 0.0, 0.625, 0.625, -1.625, -1.375, 0.625, 1.625, 0.125, 0.875, 0.625, -0.875, -0.25, 0.5, 0.5, -2.0, -0.25, 1.375, 0.0, 0.875, -0.625, 1.5, 1.125, -1.875, -1.25, -1.75, 2.0, 2.0, -0.75, -0.25, 1.5, 1.25, 0.0, -0.375, 1.5, -1.25, -1.125, -1.25, 1.875, -0.875, 0.125, 1.875, 0.0, -0.875, -1.125, -0.375, 1.375, 0.75, -0.5, 1.0, 0.125, 1.75, -1.625, 0.375, 2.0, -2.0, -0.375, 0.375, -1.0, 1.875, 1.875, 2.0, -1.625, 0.125, -0.875, -1.625, 0.25, -0.75, -2.0, -0.25, 1.25, -0.25, 0.875, -0.5, -1.125, -0.75, 0.0, -1.0, -1.375, -0.75, 1.25, -1.75, 1.875, -0.75, 1.25, -2.0, 1.125, -0.375, -0.75, -0.875, 1.25, -1.75, -0.375, -1.375, -1.0, -2.0, 1.375, 1.0, 0.375, -1.625, 1.625, 1.75, 0.75, -1.0, -0.5, 1.0, 2.0, 0.125, 1.125, 1.25, 1.0, 1.25, 0.875, 0.0, -0.5, 2.0, -1.75, -1.5, -1.625, 1.5, -1.75, 2.0, -1.25, -1.875, -1.375, 0.5, 1.75, 0.125, -1.375, -1.875, -0.875, 0.75, 1.625, 1.75, 1.125, 1.375, 1.875, -0.875, 0.5, 0.75, 0.75, -0.375, 0.25, -0.5, 1.75, 1.5, -0.75, 0.125, -1.875, -1.125, -1.75, -1.0, 0.375, -1.625, -1.25, -1.375, -1.0, -0.875]).as_strided([15, 3, 8], [24, 8, 1], 0).detach()
    x1 = x0.detach().as_strided([15, 3, 8], [24, 8, 1], 0).detach().requires_grad_()
    x2 = _fill("dyadic", 41109, 1025, torch.float32).as_strided([1025], [1], 0).detach().requires_grad_()
    x3 = torch.zeros([1804]).as_strided([15, 8, 15], [120, 15, 1], 4).detach()
    x4 = torch.tensor([16, -13, 8, 10, -16, -15, -3, 5, 7, 6, 16, 2, 9, 1, -1, -6, 8, -3, -12, 11, 16, 10, 13, 1]).as_strided([12, 2], [2, 1], 0).detach()
    v13 = torch.tensor([[[True, True, False, True, True, False, True, True], [False, False, True, False, False, False, False, True], [True, True, False, False, False, False, True, False]], [[True, True, True, True, True, False, False, False], [True, False, True, False, True, True, False, False], [False, True, True, False, True, False, False, False]], [[True, False, False, True, False, False, True, True], [True, False, False, False, False, True, False, True], [False, False, True, True, True, True, True, True]], [[True, True, False, True, True, False, True, True], [True, True, True, False, True, True, True, False], [False, False, False, False, False, True, False, False]], [[True, False, False, True, True, True, True, False], [True, True, True, False, False, True, False, False], [False, False, True, False, True, False, False, True]], [[False, False, True, False, False, True, True, False], [True, False, True, False, False, False, True, False], [False, True, False, False, False, True, True, True]], [[True, False, True, True, False, False, True, True], [False, False, False, False, True, True, False, False], [False, False, True, True, False, True, True, True]], [[True, True, True, False, False, True, False, True], [True, True, False, False, True, True, True, False], [True, False, True, True, True, False, False, False]], [[False, False, False, False, True, True, False, True], [False, False, True, True, True, True, True, True], [False, True, True, True, True, False, True, False]], [[True, True, True, True, False, True, True, True], [True, True, True, True, True, True, True, False], [False, False, False, True, False, False, False, False]], [[False, False, True, True, True, True, False, False], [False, False, True, True, True, True, False, False], [True, True, True, False, False, False, False, True]], [[True, False, True, False, True, True, True, True], [False, False, True, True, False, True, False, True], [True, False, False, False, False, False, False, False]], [[False, False, False, False, False, True, True, False], [True, True, True, True, False, True, False, False], [True, False, False, True, True, False, True, True]], [[True, False, False, False, False, False, True, True], [True, True, True, True, False, False, False, False], [False, False, False, True, False, True, False, True]], [[False, True, False, False, False, True, False, True], [True, True, True, False, True, False, True, False], [True, False, True, True, True, False, True, False]]])
    v12 = torch.tensor([[4, 3, -16, 13, 2, 7, -16, -13, -16, -3, 2, 0], [7, -15, -6, 16, -7, 7, 16, 8, -15, 11, -13, 7]])
    v8 = torch.zeros([0, 3])
    v4 = torch.tensor([[[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625], [-2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0], [-0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875]], [[1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25], [0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375], [-1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25]], [[0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125], [-0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0], [-1.25, 0.75, -0.875, -1.375, -1.5, -1.375, -1.75, 1.0]], [[0.0, -0.125, -0.25, 1.125, 2.0, 0.75, -1.5, -1.0], [-1.625, -0.5, -0.125, 0.5, -1.0, -0.625, 0.0, -1.875], [-1.25, 0.25, -1.375, 0.625, 0.25, -0.125, -1.5, -1.375]], [[-1.125, -1.0, 1.0, -0.25, -1.625, 1.5, 1.625, -1.875], [-1.875, 1.75, 1.375, 1.875, -0.875, 1.5, -0.625, 0.875], [-1.625, -0.5, 1.5, 1.0, 0.125, -0.625, 1.5, -0.125]], [[1.625, 1.625, -1.625, 0.5, 2.0, 2.0, 1.375, 1.625], [-1.125, -0.625, -1.875, 2.0, -0.75, 0.125, -0.875, -0.375], [-2.0, 1.0, 0.25, -0.875, 1.5, 0.0, -2.0, -1.5]], [[-1.0, -0.375, -1.375, 0.875, 1.5, 1.0, 0.75, -0.25], [-0.25, 0.625, -1.75, -1.375, 2.0, -0.25, -0.75, -1.25], [0.125, -0.875, 0.625, 1.875, 2.0, -2.0, 1.75, 0.25]], [[-0.25, -0.25, 0.25, 1.875, -1.25, -1.875, 1.75, 0.625], [2.0, 1.0, 1.625, -0.25, 0.875, -0.375, -0.25, 0.625], [-1.75, 1.375, -0.625, 1.875, -0.625, 1.0, -1.0, 0.125]], [[1.125, 1.125, -0.75, -1.375, -1.875, 0.375, 0.25, 1.0], [-1.5, 0.0, -1.0, 2.0, -0.625, 0.75, -1.0, -0.5], [0.0, 2.0, 1.75, 0.375, -0.5, 0.75, -1.875, 1.5]], [[1.25, 0.25, 1.5, 0.125, 0.75, 0.625, -1.5, 1.25], [-0.375, 0.0, 0.375, 2.0, -2.0, 1.625, 1.875, 1.0], [0.25, 2.0, -2.0, 0.375, -1.25, 2.0, -0.75, 1.375]], [[-0.625, -1.875, -0.75, 1.75, 1.25, 1.125, -1.125, 1.0], [-1.5, -0.125, 1.75, 1.875, -1.625, 1.125, -0.375, -0.25], [1.125, -0.125, -1.375, 0.625, 1.0, -1.625, 0.0, 1.25]], [[0.5, 1.875, -1.0, -1.25, -1.5, -1.375, -1.25, 0.875], [1.25, 1.875, -1.25, -0.125, -0.75, -1.875, 0.375, -2.0], [1.375, 1.25, 0.625, 1.75, -1.75, 1.625, 1.125, -2.0]], [[0.0, -0.75, 0.625, -0.5, -1.5, 1.25, -1.0, -0.25], [0.0, -1.125, 1.25, 1.625, -0.625, 1.625, 1.625, 0.0], [-1.5, -2.0, 0.0, 0.75, -0.5, 0.125, 0.5, 2.0]], [[-0.5, 0.125, -0.875, 0.5, -1.625, 1.875, 1.125, 1.125], [-1.5, -0.125, 1.0, -0.875, -0.25, -1.5, -0.875, 1.875], [-0.125, -1.0, -1.125, 0.125, 1.625, 1.125, -0.25, 0.0]], [[-1.625, 0.375, -0.125, 1.0, -0.375, -1.375, -1.5, -0.5], [0.75, -1.875, 0.625, -1.0, -0.875, -1.25, -0.25, 0.5], [1.375, 1.875, -1.75, 0.75, -1.75, 1.25, -1.25, -1.125]]])
    r = f(x0, x1, x2, x3, x4, v13, v12, v8, v4)
    torch.autograd.backward([r[0]], [_fill("dyadic", 13371, 405, torch.float32).reshape([15, 3, 9])])
    [t.is_leaf for t in r]
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
