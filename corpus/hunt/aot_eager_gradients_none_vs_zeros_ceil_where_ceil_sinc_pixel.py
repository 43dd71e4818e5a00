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


def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = x0.ceil()
    v2 = torch.where(x1, x3, x2)
    v3 = v1.ceil()
    v2.sinc_()
    v4 = torch.ops.aten.pixel_unshuffle.default(v2, 1)
    v5 = torch.repeat_interleave(x4)
    v6 = torch.tensor([3, 0, 2, 2], dtype=torch.int64).reshape([4]).clone()
    v7 = torch.repeat_interleave(v6)
    v3.sinc_()
    v8 = v7.ceil()
    v9 = torch.repeat_interleave(x5)
    v10 = x5.mul(x5)
    v11 = x5.permute([0])
    v12 = v11.count_nonzero([0])
    v13 = torch.ops.aten.replication_pad2d.default(v2, [-1, 0, 0, 1])
    return x7, v13

def run(f):
    x0 = _fill("decimal", 77100, 4160, torch.float32).reshape([65, 64, 1]).requires_grad_()
    x1 = torch.tensor([False, True, False, True, True, False, True, True, False, True, True, True, True, True, False, True, False, True, True, False, True, True, True, False, False, True, False, False, True, True, False, True, True, True, False, False, False, True, False, True, True, True, False, False, False, False, True, True, False, True, False, False, True, False, False, True, True, True, True, False, True, True, True, True, False]).as_strided([65, 64, 1], [1, 0, 1], 0)
    x2 = torch.tensor([0.375]).as_strided([1], [1], 0).detach().requires_grad_()
    x3 = _fill("dyadic", 5573, 8320, torch.float32).reshape([65, 64, 2]).requires_grad_()
    x4 = torch.tensor([0, 0, 1])
    x5 = torch.tensor([], dtype=torch.int32)
    x6 = torch.tensor([-14, 0], dtype=torch.int32)
    x7 = torch.tensor([-1.875, 1.0, -1.125, 1.0, 0.875, 0.75, -1.875, 1.125, -1.25, 0.375, 1.375, 0.75, 1.125, -0.25, -0.75, 1.5, 1.125, -1.75, -0.375, 0.375, -1.625, 1.375, 0.25, 0.375, 0.25, 1.375, -1.625, -1.25, -1.875, -0.625, 1.25, 0.5, -0.375, 1.375, 0.5]).as_strided([16, 2, 1], [2, 1, 1], 3)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    torch.autograd.backward([r[1]], [_fill("dyadic", 57951, 4225, torch.float32).reshape([65, 65, 1])])
    return x0.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
