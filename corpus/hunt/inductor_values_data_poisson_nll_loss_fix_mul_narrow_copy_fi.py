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
    v1 = torch.ops.aten.poisson_nll_loss.default(x0, x0, False, True, 0.5, 0)
    v1.fix_()
    v1 *= 0.125
    v2 = v1.narrow_copy(0, 23, 5)
    v1.fill_(0.25)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x0.masked_fill_(x3, x4)
    torch.ops.aten.clamp_.Tensor(x4, min=x5, max=x4)
    v3 = x3.unsqueeze(-2)
    v4 = v3.repeat_interleave(1, dim=0)
    torch.Tensor.masked_fill_(v4, v3, x6)
    v6 = x8.roll([3, 2, 3], dims=[-3, 1, 0])
    v7 = torch.vstack([x0])
    v8 = torch.tensor([1], dtype=torch.int64).reshape([]).clone()
    v9 = torch.zeros([7, 1, 31], dtype=torch.int16)
    v10 = x2.diagonal_scatter(v9, offset=-1)
    x2.zero_()
    return v2, v10, v7

def run(f):
    x0 = _fill("dyadic", 90204, 32768, torch.int16).as_strided([32, 32, 32, 1], [1024, 1, 32, 32], 0).detach()
    x1 = torch.tensor([[127], [1], [255], [2], [127], [1], [256], [2], [-1], [128], [1], [-256], [-256], [-127], [255], [-1], [-257], [32767], [256], [-256], [-1], [2], [-1], [0], [-127], [-1], [2], [1], [2], [128], [0], [32767], [-128], [127], [-1], [0], [-255], [256], [-32767], [32767], [256], [2], [0], [-256], [-1], [128], [-32768], [2], [-127], [1], [2], [-1], [-1], [2], [2], [-255], [32767], [127], [0], [127], [-256], [-127], [2], [0]], dtype=torch.int16)
    x2 = x0.detach().as_strided([32, 32, 7, 1], [1024, 1, 32, 32], 800).detach()
    x3 = _fill("special", 59158, 32768, torch.bool).as_strided([32, 32, 32, 1], [1024, 1, 32, 32], 0)
    x4 = torch.tensor(5, dtype=torch.int16)
    x5 = torch.tensor(-7, dtype=torch.int8)
    x6 = torch.tensor(False)
    x7 = _fill("dyadic", 69763, 4159, torch.int16).as_strided([64, 1, 64], [65, 65, 1], 0)
    x8 = torch.zeros([0], dtype=torch.bool).as_strided([0, 64, 64], [8320, 130, 2], 1)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return r[2].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
