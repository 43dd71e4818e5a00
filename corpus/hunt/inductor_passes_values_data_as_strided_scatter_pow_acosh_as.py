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


def f(x0, x1, x2, x3, x4, x5):
    v1 = x1.as_strided_scatter(x2, [1], [1], storage_offset=0)
    v2 = torch.pow(0, x2)
    v3 = v1.acosh()
    v4 = v1.as_strided_scatter(x3, [1, 4], [1, 1])
    v5 = v1.acosh()
    torch.maximum(x3, x4, out=x3)
    torch.sigmoid(v5, out=v3)
    v6, v7, v8, v9, v10, v11, v12, v13 = v3.unbind(dim=1)
    v14, v15, v16, v17, v18 = v10.unbind(dim=-1)
    v8.exponential_()
    v19, v20, v21, v22, v23, v24, v25, v26 = v1.unbind(dim=1)
    torch.sigmoid(v12, out=v12)
    v27 = v23.acosh()
    torch.sigmoid(v26, out=v12)
    v28 = torch.bucketize(1.5, v17)
    return v20, v28, v25, v27, v24, v22, v21, v19

def run(f):
    torch.manual_seed(70182)
    x0 = torch.tensor([-14, 9, -4, 14, -7, -7, 6, -10], dtype=torch.int16)
    x1 = _fill("dyadic", 63481, 41004, torch.int16).as_strided([1025, 8, 5], [40, 5, 1], 4)
    x2 = torch.tensor([0], dtype=torch.int16)
    x3 = torch.ones([7], dtype=torch.int16).as_strided([1, 4], [4, 1], 3)
    x4 = torch.tensor([3, 6], dtype=torch.int16).as_strided([1, 1], [1, 1], 1)
    x5 = _fill("dyadic", 32584, 1026, torch.float32)
    r = f(x0, x1, x2, x3, x4, x5)
    return r[7].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
