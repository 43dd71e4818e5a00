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
    v2 = v1.add(3)
    v3 = x5.scatter(-1, x6, x5)
    v4 = v1.squeeze(-1)
    torch.logical_and(x6, x7, out=x8)
    v5 = v3.div_(x5, rounding_mode='trunc')
    v6 = torch.ops.aten.linalg_vector_norm.default(v5, ord=0.0, dim=[0])
    v7, v8 = x8.tensor_split([3])
    v9 = v2.sinh()
    v10 = v8[-2]
    (v11,) = torch.meshgrid([v7], indexing='xy')
    v5.clamp_(max=v3)
    v12 = v9.div(3)
    return v11, v12, v6, v4

def run(f):
    try:
        x0 = torch.tensor([1.0, 1.625, 0.625, -0.875, -1.125, 1.625, 0.875, -1.125, 0.0, 1.125, 0.5, 1.75, -1.0, 0.5, 0.625, -1.375, 1.875, 1.5, -1.25, 0.375, 0.625, -1.875, 1.25, -0.75, 0.625, 1.0, 0.625, 0.5, 1.75, -1.375, -0.25, 1.625, -0.875, -0.875, 0.75, -0.25, -0.25, -1.125, 0.875, -0.375, -0.125, 1.0, -2.0, 1.75, 0.375, -1.0, -0.25, 0.75, -1.5, 0.125, -0.5, 1.875, 1.25, 1.0, -0.125, 0.375, 0.25, 1.375, -1.375, 0.5, 1.625, 0.0, -1.875, 1.625], dtype=torch.float16).as_strided([64], [1], 0).detach().requires_grad_()
        x1 = _fill("dyadic", 8219, 1000, torch.bool)
        x2 = x0.detach().as_strided([64], [1], 0).detach()
        x3 = torch.tensor([2.0, -0.125, -1.625, 0.5, -0.375, 0.125, -2.0, 1.25, -0.25, -0.125, -1.875, -1.0, -1.0, 0.25, -0.5, -0.625, 1.5, 0.375, -0.5, 0.25, 0.125, -1.5, 1.625, 2.0, 0.625, 0.0, -1.875, 1.625, 1.125, -0.5, -0.75, 1.375, -0.75, -1.375, 0.625, -1.25, -1.875], dtype=torch.float16).as_strided([32, 1], [1, 1], 5).detach()
        x4 = torch.tensor([0.25, -1.25, -0.25, -0.625, 1.625, -2.0, -1.875, -0.25, -0.875, 0.0, 0.625, 1.0, 0.375, 0.25, 0.5, 1.625, 0.125, 0.875, -1.125, 0.375, 0.375, 0.375, 1.75, -0.625, -1.625, 1.375, -1.0, 0.875, 0.125, -0.5, -0.125, 1.875], dtype=torch.float16).requires_grad_()
        x5 = torch.tensor([-1.0, 1.0, -0.5, 1.2001953125, 1.400390625, 0.89990234375, -0.60009765625], dtype=torch.float16).requires_grad_()
        x6 = torch.tensor([5, 6, 0, 1, 2])
        x7 = torch.zeros([9], dtype=torch.uint8).as_strided([5], [2], 0)
        x8 = torch.tensor([True, False, True, False, False, True, True]).as_strided([5], [1], 2)
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
        torch.autograd.backward([r[1], r[2], r[3]], [torch.ones([64], dtype=torch.float16), torch.ones([], dtype=torch.float16), torch.ones([64], dtype=torch.float16)])
    except Exception:
        pass
    x0 = torch.tensor([0.0, 1.375, -0.375, -0.125, -2.0, 1.125, 0.375, -1.25, -1.875, 0.875, 2.0, -0.75, -0.5, -0.25, -1.0, 0.0, -1.5, -0.25, -1.625, -0.875, 0.25, -1.5, 0.375, 0.625, -1.375, 0.125, -1.875, -0.625, 0.5, -0.125, -1.625, 0.125, -0.875, 1.375, -1.375, 0.5, -1.625, -0.875, -1.625, 1.5, 1.375, 1.875, 0.875, 0.25, 0.5, -0.75, 1.75, -1.375, 0.25, -1.0, 0.25, -1.25, 0.875, 1.375, 1.125, -0.625, -1.625, -1.125, -0.125, 1.5, 0.375, 2.0, 0.375, 1.25], dtype=torch.float16).as_strided([64], [1], 0).detach().requires_grad_()
    x1 = _fill("dyadic", 8219, 1000, torch.bool)
    x2 = x0.detach().as_strided([64], [1], 0).detach()
    x3 = torch.tensor([1.375, 1.0, 0.125, -0.875, 0.875, 0.375, -1.25, 0.125, 0.75, 0.375, 0.75, -1.625, 1.375, -1.125, -1.5, -0.125, -0.375, 0.25, 2.0, 0.75, -1.25, 0.25, -0.125, 2.0, -2.0, -0.25, -0.125, 1.625, -0.125, -2.0, 0.875, 0.0, -1.375, -0.375, 1.125, -1.0, 0.875], dtype=torch.float16).as_strided([32, 1], [1, 1], 5).detach()
    x4 = torch.tensor([-0.75, 1.5, 1.0, 0.625, -1.125, -0.375, 1.375, -2.0, -0.75, 1.25, 2.0, -0.5, -1.75, 1.25, 1.875, 1.5, -0.375, -1.625, 0.375, -0.375, 1.25, 1.875, -0.25, -0.25, -1.25, -0.75, -2.0, 0.625, 2.0, -1.875, -1.0, -0.375], dtype=torch.float16).requires_grad_()
    x5 = torch.tensor([-1.2001953125, -0.0999755859375, 0.7998046875, 1.2001953125, 0.300048828125, 0.5, 1.2001953125], dtype=torch.float16).requires_grad_()
    x6 = torch.tensor([5, 6, -1, 1, 0])
    x7 = torch.zeros([9], dtype=torch.uint8).as_strided([5], [2], 0)
    x8 = torch.tensor([True, False, True, False, False, True, True]).as_strided([5], [1], 2)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
