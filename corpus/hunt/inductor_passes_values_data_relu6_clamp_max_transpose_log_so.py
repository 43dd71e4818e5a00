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


def _results(returned):
    return list(returned.values())


def f(x0, x1, x2, x3, x4):
    v1 = torch.ops.aten.relu6_.default(x3)
    with torch.no_grad():
        v2 = x0.clamp_max_(-4)
        v3 = v1.transpose(-1, -2)
        v4 = v3.log_softmax(-2)
        v5 = v4.log_softmax(1, dtype=torch.float16)
    torch.feature_dropout_(v5, 1.0, True)
    v4.squeeze_()
    v5[x4, 22:-31] = False
    v4.erfc_()
    v6 = x4.bitwise_or_(-2)
    v7 = torch.ops.aten.alias_copy.default(v6)
    return {"r0": v1}

def run(f):
    x0 = _fill("special", 80786, 8192, torch.float16).as_strided([64, 64, 2], [64, 1, 4096], 0).detach().requires_grad_()
    x1 = torch.tensor([2.0], dtype=torch.float16).as_strided([1000], [0], 0).detach().requires_grad_()
    x2 = _fill("uniform", 81963, 1000, torch.float16).as_strided([1000, 1], [1, 1], 0).detach().requires_grad_()
    x3 = _fill("special", 73246, 4096, torch.float16).reshape([64, 64])
    x4 = torch.tensor([17])
    r = _results(f(x0, x1, x2, x3, x4))
    x0 = _fill("special", 27315, 8192, torch.float16).as_strided([64, 64, 2], [64, 1, 4096], 0).detach().requires_grad_()
    x1 = torch.tensor([0.75], dtype=torch.float16).as_strided([1000], [0], 0).detach().requires_grad_()
    x2 = _fill("uniform", 34260, 1000, torch.float16).as_strided([1000, 1], [1, 1], 0).detach().requires_grad_()
    x3 = x0.detach().as_strided([64, 64], [64, 1], 0)
    x4 = torch.tensor([17])
    r = _results(f(x0, x1, x2, x3, x4))
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
