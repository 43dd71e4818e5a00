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


def f(x0, x1, x2, x3, x4, x5):
    v1, v2, v3, v4 = torch.embedding_bag(x0, x1, x2, False, 2, False, None, True, None)
    v5 = v4[[0, 0], :48]
    v7 = v5[-1, x3, True]
    v8 = torch.ops.aten.l1_loss.default(x0, x0)
    v9, v10, v11, v12 = torch.embedding_bag(v1, x4, x5, False, 1, False, None, True, -1)
    return v7, v9, v12, v11, v10, v8, v3, v2

def run(f):
    x0 = _fill("dyadic", 33338, 4096, torch.float32).as_strided([64, 64], [64, 1], 0).detach().requires_grad_()
    x1 = torch.tensor([5, 3, 54, 54])
    x2 = torch.tensor([0, 4])
    x3 = torch.tensor([True, False, True, True, False, False, False, False, False, False, True, True, True, False, True, False, False, True, False, False, False, False, True, False, False, False, False, False, True, True, False, True, True, False, False, True, False, True, True, True, True, True, True, True, True, False, True, False])
    x4 = torch.tensor([0, 0, 0, 0, 0])
    x5 = torch.tensor([0, 2, 5, 5], dtype=torch.int32)
    r = f(x0, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[1], r[5]], [torch.tensor([[-1.625, -0.75, 1.25, -0.75, 0.375, -1.375, -0.75, -0.125, 1.125, 1.125, 0.25, 0.25, -0.25, -1.125, 1.625, -0.375, -1.125, -1.5, 0.75, -1.375, -1.5, -0.25, -1.125, -1.75, 1.375, 1.75, -1.625, 1.5, -0.625, -0.25, -1.125, -0.125, 0.5, -0.125, -1.5, 2.0, -0.625, -0.125, 2.0, 1.625, 1.5, 0.375, -1.375, 0.375, -1.375, -1.5, 0.0, 0.875, -0.5, 1.875, -0.875, -1.75, 0.875, 0.0, -1.25, -1.5, 1.25, 0.875, 0.375, -1.375, 1.125, 0.375, 0.375, -0.75], [0.875, -1.375, -0.375, -2.0, -0.375, 1.25, -0.5, 1.0, -1.125, -0.125, 1.125, 1.0, -1.75, -1.5, -1.0, -2.0, 1.25, -1.25, -0.75, 0.375, 1.0, -1.0, -1.75, 0.5, 1.5, 1.375, -1.875, -1.5, -1.875, 0.375, 1.75, -1.0, 1.375, 1.75, -1.0, 1.375, -1.875, 1.125, -0.625, -0.75, -1.875, 2.0, -0.375, 0.0, 1.0, -1.125, -1.875, -0.875, -1.75, 1.75, 0.0, 0.5, 1.75, -1.625, -1.625, 0.125, -0.625, -2.0, -0.875, 2.0, 0.75, 0.375, 1.125, -1.875], [1.75, -1.375, -1.375, -1.0, 2.0, -1.75, -1.25, -1.625, -1.5, 1.75, -1.75, 0.375, 1.5, -1.25, 1.875, 0.875, 1.125, 1.375, -2.0, -1.625, 1.5, 0.0, -1.25, 1.625, 1.5, -1.125, -1.0, 0.125, -1.125, -1.5, 1.0, 1.0, 2.0, 1.375, -0.625, -1.0, 0.125, 1.75, -0.125, 0.0, 1.375, -0.5, -0.125, -0.625, 0.125, 0.625, 0.875, 1.125, 0.125, 0.375, 0.75, 1.625, -1.875, -0.25, -1.75, -0.25, -0.875, -1.25, 0.625, -1.625, 1.25, -0.375, -1.0, 1.625]]), torch.tensor(0.0)])
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
