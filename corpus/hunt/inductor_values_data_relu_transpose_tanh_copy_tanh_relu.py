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


def f(x0, x1, x2, x3, x4):
    v1 = x0.relu()
    v2 = x0.transpose(-1, 0)
    v3 = v2.tanh()
    v2.copy_(x3)
    v4 = x3.tanh()
    v5 = v3.tanh()
    v6 = v5.relu()
    v7 = x4.sqrt()
    v8 = x4.zero_()
    v9 = v5.argmax(dim=-1, keepdim=True)
    v5.fill_(-3.0)
    v10 = x2.relu()
    v11 = v8.argmax()
    v12 = torch.tensor([], dtype=torch.int64).reshape([0]).clone()
    v13 = x2.index_select(0, v12)
    v14 = v9.sqrt()
    return v3, v7, v9, v10, v14, v13, v11, v6

def run(f):
    x0 = _fill("dyadic", 17238, 512, torch.int8).as_strided([64, 8], [1, 64], 0)
    x1 = torch.zeros([64], dtype=torch.int8)
    x2 = _fill("decimal", 2712, 1000, torch.int8)
    x3 = _fill("dyadic", 55637, 512, torch.int8).reshape([8, 64])
    x4 = torch.arange(1536.0).reshape([3, 8, 64])
    r = f(x0, x1, x2, x3, x4)
    return r[4].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
