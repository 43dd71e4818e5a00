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


def f(v4, v3, v1, x2, x3, x4, x5, x6):
    v5 = v4.abs()
    v6 = v5.add(2)
    v7 = torch.ops.aten.smooth_l1_loss.default(v6, v3, reduction=1)
    if not (v6.grad_fn is not None):
        v8 = torch.randn([7], dtype=None)
    else:
        v9 = v1.remainder(x3)
        v10 = v9.max(x4)
    v11 = x4.slice_scatter(x5, start=1707, end=1809)
    v12 = v4.diagonal(offset=-1, dim1=1, dim2=-2)
    v13 = v1.select(0, 953)
    v11.mul_(x6)
    return v13

def run(f):
    torch.manual_seed(42775)
    x0 = _fill("uniform", 70785, 2048, torch.float32).requires_grad_()
    x1 = torch.tensor([0.375, 1.25, 0.25, -0.75, 0.125, 1.0, -0.75, 0.5, 1.5, -1.0, -1.125, -0.125, -0.125, 0.625, 1.75, 0.5, -1.125, -1.375, 1.25, -0.5, 0.0, 1.5, -0.25, 0.875, -0.375, -1.875, 1.25, -0.125, 0.375, 0.625, 1.75, -0.875, -0.875, 1.125, -0.125, 0.5, 0.25, -0.625, 0.875, -0.75, 1.75, -0.875, -1.0, -1.0, 1.75, 0.625, 0.0, 1.125, -1.625, 0.0, -0.875], dtype=torch.float64).as_strided([7, 1, 7], [7, 7, 1], 2)
    x2 = torch.zeros([7, 0, 1]).requires_grad_()
    x3 = _fill("decimal", 59498, 2048, torch.bool)
    x4 = torch.arange(2051.0).as_strided([2048], [1], 3).detach().requires_grad_()
    x5 = torch.tensor([-1.125, -1.75, 0.375, 0.125, -1.5, -1.75, -1.875, 1.0, 1.625, -1.375, -1.375, 1.375, 1.125, 1.625, -0.5, 0.5, 0.75, 0.75, -1.375, 1.0, -0.5, 1.5, 0.375, -1.875, -1.5, -1.875, 1.375, 1.375, -0.375, -0.75, -0.125, 1.5, -1.25, -0.25, 1.375, 0.375, 1.125, -1.625, -0.125, 0.625, -1.75, -0.375, -1.875, 0.0, 2.0, 0.625, 0.75, 1.5, 1.125, 0.0, -1.875, 0.5, 1.625, 1.75, 0.375, 0.625, 1.0, -0.125, 1.0, -1.625, 1.375, -0.25, -2.0, 0.375, 0.625, -1.25, 0.125, -1.25, 1.875, -0.125, 1.75, 1.125, 1.625, -1.75, -1.375, 0.625, -1.375, 1.625, -1.25, -2.0, 1.125, -1.5, -0.375, 1.625, 0.25, -0.125, -0.625, -1.375, 0.0, -1.125, -1.5, 0.5, -1.375, -1.5, 1.75, -0.25, 1.25, -0.625, 2.0, 0.25, -2.0, 0.875])
    x6 = _fill("dyadic", 94119, 2048, torch.bfloat16).requires_grad_()
    v1 = x0.add(0.0, alpha=-2.0)
    v2 = v1.detach()
    v3 = x0.expand([-1])
    v4 = v1.expand([2, -1])
    r = [f(v4, v3, v1, x2, x3, x4, x5, x6)]
    torch.autograd.backward([r[0]], [torch.tensor(-0.125)])
    try:
        torch.manual_seed(42776)
        x0 = _fill("uniform", 10254, 2048, torch.float32).requires_grad_()
        x1 = torch.tensor([-0.75, 1.75, -0.875, 0.75, 1.125, -1.125, 1.5, -0.75, 2.0, -0.375, 0.875, 1.625, -1.125, -1.875, -0.75, 2.0, 1.75, -0.25, 1.125, 0.625, -1.0, -0.25, 0.625, 1.875, 1.5, 1.25, 0.625, -1.125, -1.625, 0.625, -1.125, -1.0, 1.125, -0.125, -1.75, 0.25, -1.875, 0.625, -1.875, -0.625, 0.5, -0.25, 0.75, -1.75, 0.625, -1.375, -1.875, 0.625, 2.0, 1.625, -1.375], dtype=torch.float64).as_strided([7, 1, 7], [7, 7, 1], 2)
        x2 = torch.zeros([7, 0, 1]).requires_grad_()
        x3 = _fill("decimal", 59498, 2048, torch.bool)
        x4 = torch.arange(2051.0).as_strided([2048], [1], 3).detach().requires_grad_()
        x5 = torch.tensor([-0.375, 1.875, -1.375, 0.5, -0.125, 0.75, 0.75, -0.5, 1.5, -1.0, -2.0, 1.375, -2.0, -1.25, -1.125, 1.125, 1.125, -1.625, -2.0, -0.625, 1.25, 0.375, -0.5, -0.25, -1.125, -1.625, -1.125, -1.75, -1.25, -0.75, -1.5, 0.875, 1.875, -0.625, 1.375, 0.0, -1.75, -1.875, 1.75, 0.25, -0.625, -1.5, 0.25, -0.375, 1.0, 1.5, 1.375, -0.75, 1.375, 0.125, -1.125, 1.125, -1.875, 1.375, -0.875, -0.375, 0.375, 0.75, -1.375, -1.0, -1.875, 0.375, -0.25, 0.5, 2.0, 0.25, 1.0, -0.25, 1.75, 0.0, 0.625, -1.0, -1.5, -1.375, 1.75, 0.0, 0.0, -0.5, 0.375, 1.25, -0.625, 1.375, 0.875, 1.125, -1.0, -1.0, 1.5, 1.625, -1.625, 0.375, 0.25, -1.375, 1.625, -1.0, -0.375, 0.625, -1.5, -1.75, 0.5, -0.25, -1.5, -1.25])
        x6 = _fill("dyadic", 22673, 2048, torch.bfloat16).requires_grad_()
        v1 = x0.add(0.0, alpha=-2.0)
        v2 = v1.detach()
        v3 = x0.expand([-1])
        v4 = v1.expand([2, -1])
        with torch.no_grad():
            r = [f(v4, v3, v1, x2, x3, x4, x5, x6)]
        torch.autograd.backward([r[0]], [torch.tensor(-0.125)])
    except Exception:
        pass
    torch.manual_seed(42777)
    x0 = _fill("uniform", 50836, 2048, torch.float32).requires_grad_()
    x1 = torch.tensor([0.0, -1.75, -0.5, 1.375, 0.25, -1.25, -1.75, -1.125, 0.375, -1.5, -0.125, -1.125, -0.875, -0.125, 1.5, 1.25, 1.25, 0.75, 1.125, 1.5, -0.875, -1.75, -0.125, 0.375, 0.0, -1.0, 0.875, 0.875, -1.0, -1.625, -0.125, 0.625, -1.75, -0.125, -1.875, -1.25, -1.125, -0.375, 0.0, 0.875, 0.875, 0.625, 0.25, -1.125, 0.25, 0.375, -0.625, 0.625, -1.0, -0.625, 0.875], dtype=torch.float64).as_strided([7, 1, 7], [7, 7, 1], 2)
    x2 = torch.zeros([7, 0, 1]).requires_grad_()
    x3 = _fill("decimal", 59498, 2048, torch.bool)
    x4 = torch.arange(2051.0).as_strided([2048], [1], 3).detach().requires_grad_()
    x5 = torch.zeros([0])
    x6 = _fill("dyadic", 52728, 2048, torch.bfloat16).requires_grad_()
    v1 = x0.add(0.0, alpha=-2.0)
    v2 = v1.detach()
    v3 = x0.expand([-1])
    v4 = v1.expand([2, -1])
    with torch.no_grad():
        r = [f(v4, v3, v1, x2, x3, x4, x5, x6)]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, error.__traceback__.tb_next.tb_lineno
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
