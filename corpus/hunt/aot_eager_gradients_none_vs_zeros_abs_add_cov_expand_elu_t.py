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
    v1 = x1.abs()
    v2 = v1.add(1)
    v3 = v1.cov()
    v4 = v1.expand([-1, 65])
    torch.ops.aten.elu_.default(v1, scale=0.0, input_scale=0.125)
    v5 = v2.t()
    v6 = v5.acosh()
    v7 = v4.relu()
    v4 = v6.acosh()
    v8 = x1.addbmm(x2, x3)
    v9 = v7.cov(correction=3)
    torch.ops.aten.elu_.default(v8, scale=1.5, input_scale=-2.0)
    v10 = v4.cov(correction=1)
    torch.ops.aten.elu_.default(v9, alpha=2, scale=0.0, input_scale=-4)
    v8.remainder_(3)
    v11 = torch.ops.aten.elu_.default(v3, alpha=0.5, scale=-0.5, input_scale=-3)
    v12 = x4.acosh()
    return v10, v6

def run(f):
    x0 = torch.tensor([-1.25], dtype=torch.float16).as_strided([1], [0], 0)
    x1 = torch.ones([2], dtype=torch.float16).as_strided([1, 1], [1, 0], 1).detach().requires_grad_()
    x2 = torch.tensor([0.0999755859375], dtype=torch.float16).as_strided([1025, 1, 1], [0, 1, 1], 0).detach().requires_grad_()
    x3 = _fill("decimal", 9443, 2050, torch.float16).as_strided([1025, 1, 2], [1, 1025, 1025], 0).detach().requires_grad_()
    x4 = _fill("dyadic", 21500, 1025, torch.float16).reshape([1025, 1, 1])
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0], r[1]], [torch.tensor(-1.25, dtype=torch.float16), torch.tensor([[1.375]], dtype=torch.float16)])
    return x2.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
