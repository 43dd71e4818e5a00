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


def f(x1, x2, v3, v4, v5, v2, v1):
    v6, v7, v8 = torch._foreach_sub([v5, v2, x1], [v1, x2, v5])
    v9, v10, v11 = torch._foreach_sub([v5, v2, x1], [v1, x2, v5], alpha=1)
    return v6, v9

def run(f):
    x1 = _fill("special", 90827, 4096, torch.float16).reshape([2048, 1, 2, 1])
    x2 = _fill("special", 75274, 4096, torch.float16).as_strided([2048, 1, 2, 1], [2, 1, 1, 1], 0).detach().requires_grad_()
    v3 = _fill("dyadic", 1, 4096, torch.float16).reshape([2048, 1, 2, 1])
    v4 = _fill("dyadic", 1, 4096, torch.float16).reshape([2048, 1, 2, 1])
    v5 = _fill("dyadic", 1, 4096, torch.float16).reshape([2048, 1, 2, 1])
    v2 = _fill("dyadic", 1, 4096, torch.float16).reshape([2048, 1, 2, 1])
    v1 = _fill("dyadic", 1, 4096, torch.float16).reshape([2048, 1, 2, 1])
    r = f(x1, x2, v3, v4, v5, v2, v1)
    return [t.untyped_storage().data_ptr() == r[1].untyped_storage().data_ptr() for t in [x1, x2, v3, v4, v5, v2, v1, r[0]]]

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
