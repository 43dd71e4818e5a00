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
    v1 = x1[-36, :, [0, 0]]
    v1[x2, [0, 1]] = x3
    v1.add_(-0.75)
    v2 = v1.permute([-1, 0])
    v3 = torch.ops.aten.squeeze_copy.default(v2)
    v5 = torch.tensor([0, 0, 0, 0, 1, 0, 1, 0], dtype=torch.int64).reshape([2, 4]).clone()
    v7 = torch.ops.aten.squeeze_copy.default(x3)
    v5[0::1, [3]] = x5
    v8 = v3[[0, 0, 0, 0], :]
    v3.copy_(v2)
    v9 = torch.ops.aten.squeeze_copy.default(v7)
    v7.zero_()
    return v8, v9

def run(f):
    x0 = torch.zeros([7, 17]).requires_grad_()
    x1 = _fill("dyadic", 1555, 4000, torch.float32).as_strided([1000, 4, 1], [4, 1, 1], 0).detach().requires_grad_()
    x2 = torch.tensor([3, 0])
    x3 = torch.tensor([-0.875, -1.5, -1.25, 0.5]).as_strided([1], [1], 3).detach().requires_grad_()
    x4 = torch.tensor([[0, 2], [1, 4], [5, 6], [4, 4]])
    x5 = torch.tensor([[-8], [-16]])
    r = f(x0, x1, x2, x3, x4, x5)
    torch.autograd.backward([r[0], r[1]], [torch.tensor([[0.5, -1.75, 0.375, -0.5], [-1.5, -0.5, -0.375, 1.875], [0.5, 1.0, -0.25, 0.625], [-0.125, -1.375, -0.625, -1.5]]), torch.tensor(0.625)])
    return r[1].storage_offset()

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
