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


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v8, v2):
    v1 = x0.diff(n=32, prepend=x0, append=x0)
    v5, v6, v7 = torch.meshgrid([x3, x4, x4])
    v5.zero_()
    return v8, v2, v1

def run(f):
    x0 = torch.tensor([-0.5466910004615784, 1.2290399074554443, 0.4796983003616333, 0.5578984618186951, -1.4475221633911133, -0.4349402189254761, -0.6130685210227966, 1.8211629390716553, 0.9997812509536743, -1.3820593357086182, 1.3851821422576904, 0.23670504987239838, -1.2346241474151611, 0.27962344884872437, -0.9093088507652283, -1.1715689897537231]).as_strided([16], [1], 0).detach().requires_grad_()
    x1 = x0.detach().as_strided([2], [1], 14).detach().requires_grad_()
    x2 = _fill("dyadic", 64242, 1024, torch.float32).as_strided([32, 32], [32, 1], 0).detach().requires_grad_()
    x3 = torch.tensor([3, 8, 15])
    x4 = torch.tensor([-14, -7, 0, 12, 15, 9, 7, 11, 1, 7, -10, -7, 11, -6, -13, -5, 6, 14, 7, -8, 2, -15, 4, 13, -10, 10, 8, -14, -9, 2, -1, 5])
    x5 = _fill("uniform", 86690, 1024, torch.int64).reshape([32, 32])
    x6 = torch.tensor([0.75, 0.0, -1.75, 1.0, -0.75, 1.0, 0.5, -1.5, 0.0, -0.5, 0.875, -0.5, -0.25, -1.5, -0.25, 0.75, 0.25, -0.125, 1.375, 1.75, 0.625, -0.5, 2.0, -1.875, -1.0, -0.875, 2.0, -0.125, -0.375, -2.0, 1.75, 0.875]).as_strided([32], [1], 0).detach().requires_grad_()
    x7 = torch.zeros([0])
    x8 = _fill("uniform", 64552, 3072, torch.float32).reshape([3, 32, 32])
    v8 = _fill("dyadic", 1, 3072, torch.int64).reshape([3, 32, 32])
    v2 = _fill("dyadic", 1, 1024, torch.float32).reshape([32, 32]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v8, v2)
    torch.autograd.backward([r[1], r[2]], [_fill("dyadic", 88800, 1024, torch.float32).reshape([32, 32]), torch.tensor([0.375, -1.125, 1.25, -1.75, 0.25, 1.75, -1.0, 1.75, -0.125, 0.875, 1.875, -1.75, 0.875, 1.25, -0.375, -1.375])])
    return x3

compiled = torch.compile(f, backend="inductor", mode="lite")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
