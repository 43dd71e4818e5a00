import torch
torch._inductor.config.fallback_random = True

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


def f(x0, x1, x2, x3, x4):
    x2.clamp_(min=x2, max=x2)
    v1, v2 = torch.ops.aten.atleast_1d.Sequence([x0, x0])
    v3 = torch.randint_like(v1, 3, 12)
    v3.absolute_()
    v4 = x1.float_power(x1)
    v5 = torch.ops.aten.one_hot.default(x3, num_classes=4)
    v4.tril_(diagonal=-2)
    v6 = torch.ops.aten.permute_copy.default(v5, [-1])
    v7 = v6.logsumexp([0])
    v8 = v7.any()
    v9 = x4.sum([], keepdim=True)
    v10 = torch.ops.aten.avg_pool2d.default(v1, [3, 1], stride=[1], count_include_pad=False)
    v11 = v10.clamp_max(-0.5)
    return v11

def run(f):
    x0 = _fill("uniform", 90281, 1000, torch.float64).reshape([1, 1000, 1]).requires_grad_()
    x1 = torch.tensor([-0.875, -0.625, -0.125, 0.875, -0.5, 0.75, -1.125, -0.75, 1.125, 1.125, 0.375, -0.25, 0.125, 1.875, -0.75, 1.125, -0.375, 1.75, 1.0, 0.0, -1.625, -0.125, -1.75, -1.625, -2.0, 2.0, 0.375, 0.75, 1.25, 1.25, -1.625, -0.625, -0.375, 1.625, -0.625, 0.875, -0.125, 1.0, 0.625, 1.625, 0.125, -0.625, -1.375, 2.0, 1.125, 0.75, 0.375, -1.875, -0.125, 1.75, -1.0, -0.625, -1.625, -0.75, 0.125, -1.25, 0.875, -0.5, 0.75, 1.625, 0.5, -0.125, 1.875, -0.625, -1.5, 2.0, -1.0, 1.0, -0.625, -0.375, -0.75, 1.0, -1.25, 0.625, -1.875, 0.75, 0.5, 1.875, -0.875, -1.75, -1.5, -0.625, -0.875, 0.625, 0.875, 0.125, 2.0, 1.0, -2.0, 0.25, -0.875, -0.125, -0.5, 2.0, 1.875, 1.0, 0.125, -1.0, -0.125, 0.25, 0.5, -1.875, 1.625, 1.0, -0.875, -0.5, -0.25, 0.875, -0.25, 1.375, -1.5, -0.875, -0.125, -1.125, 0.625, 0.375, 0.25, 1.0, -1.75, 0.0, -1.0, -0.75, -0.625, -1.625, 0.375, -1.5, 0.125, -1.875, 0.0, -2.0, -1.125, -1.5, 2.0], dtype=torch.float64).as_strided([8, 16], [16, 1], 5).detach().requires_grad_()
    x2 = torch.tensor([-5, 4, -7, 5, -12, 5, -8, 9, 5, 12, -13, 0, -1, -6, 8, -12, 3, -10, 1, 15, -16, -10, 13, -11, 7, -12, 1, 11, -11, 11, -8, -13, 6, -14, 2, -8, -15, 14, 3], dtype=torch.int16).as_strided([5, 7], [7, 1], 4)
    x3 = torch.tensor(1)
    x4 = torch.tensor([False, True, True])
    torch.manual_seed(19422)
    r = [f(x0, x1, x2, x3, x4)]
    torch.autograd.backward([r[0]], [_fill("dyadic", 31383, 998, torch.float64).reshape([1, 998, 1])])
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
