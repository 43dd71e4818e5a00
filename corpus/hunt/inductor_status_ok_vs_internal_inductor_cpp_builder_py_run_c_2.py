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


def f(x1, x6, v12, v11, v8, v9, v10, v7, v6):
    v2 = torch.isin(x1, -3)
    v3 = v2.max()
    return v3

def run(f):
    x1 = torch.tensor([[32767, 0, 255, -2147483647, 2, 32767, 256, 128, 256, 2, -16777217, 256, 2147483647, -1, 0, -16777217, -1, -1, 128, 1, 65535, 1, 0, 2147483647, -1, 255, 255, -16777217, 65536, 0, 2, -2147483648, -16777216, 0, -32768, -1, 0, -65536, -256, 128, -256, 16777216, 0, 2, 127, -32768, 127, 0, -32768, -16777217, 2, -1, 2, 2, 256, 2147483647, 16777215, -2147483648, 2147483647, -1, 2, 2, 0]], dtype=torch.int32)
    x6 = torch.tensor([0])
    v12 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False]])
    v11 = torch.tensor([4])
    v8 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False]])
    v9 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False]])
    v10 = torch.tensor([[True, True, False, True, True, False, True, True, False, False, True, False, False, False, False, True, True, True, False, False, False, False, True, False, True, True, True, True, True, False, False, False, True, False, True, False, True, True, False, False, False, True, True, False, True, False, False, False, True, False, False, True, False, False, True, True, True, False, False, False, False, True, False]])
    v7 = _fill("dyadic", 1, 1000, torch.bool)
    v6 = _fill("dyadic", 1, 1000, torch.int32)
    r = [f(x1, x6, v12, v11, v8, v9, v10, v7, v6)]
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
