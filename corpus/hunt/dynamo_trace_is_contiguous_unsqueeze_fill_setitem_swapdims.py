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


def f(x0, x3, x4, x5, v3, v1):
    seen = []
    x0.unsqueeze_(-1)
    v2 = x0.fill_(-3)
    v2[37:, :, :] = x3
    v2.swapdims_(-3, 1)
    seen.append(("is_contiguous", x0.is_contiguous()))
    return seen,

def run(f):
    x0 = _fill("dyadic", 98579, 1500, torch.float32).as_strided([100, 15], [1, 100], 0)
    x3 = torch.tensor([-0.6000000238418579, -0.6000000238418579, 1.399999976158142, 0.699999988079071, 1.399999976158142, -0.30000001192092896, 1.2999999523162842, -0.800000011920929, 1.0, 0.20000000298023224, 1.5, 1.0, -0.20000000298023224, -0.20000000298023224, -1.0, -1.0, 0.699999988079071, 0.6000000238418579, 1.600000023841858, 1.5, 0.0, -1.100000023841858, -0.8999999761581421, -1.0, -0.10000000149011612, 1.0, 1.600000023841858, 0.699999988079071, -1.2000000476837158]).as_strided([15, 1], [2, 1], 0).detach().requires_grad_()
    x4 = torch.tensor([False, False, False, False, False, True, True, True, False, True, True, False, True, True, True, True, False, False, False, False, True, False, True, True, True, False, True, True, True, False, False, True, True, False, True, False, False, False, False, True, False, True, True, True, True, False, True, False, True, False, False, False, False, False, True, False, True, False, False, False, False, False, True, True, False, False, True, False, True, True, True, True, False, False, True]).as_strided([5, 15, 1], [15, 1, 15], 0)
    x5 = torch.tensor([[[True, False, False, True, False, False, False, False]], [[True, False, False, True, True, True, False, False]], [[False, False, False, False, True, False, True, False]], [[True, True, False, True, True, True, False, True]], [[False, False, True, True, False, False, True, True]]])
    v3 = _fill("dyadic", 1, 1500, torch.float32).reshape([15, 100, 1]).requires_grad_()
    v1 = torch.tensor(True)
    r = f(x0, x3, x4, x5, v3, v1)
    return r[0]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
