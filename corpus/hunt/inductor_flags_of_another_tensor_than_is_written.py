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
    v1 = x0.abs()
    v2 = v1.add(3)
    v3 = x1.abs()
    v4 = v3.add(1)
    v5 = x1.diagonal_scatter(x2, offset=1, dim1=-2, dim2=-1)
    x1.fill_(1.0)
    v6 = torch.ops.aten.slice.Tensor(x1)
    v7 = v6.diagonal_scatter(x4, offset=0, dim1=-2, dim2=1)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v8 = x3[None]
    v9 = x3.expand([32])
    v10 = v9[[-12],]
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    if v9.requires_grad:
        v12 = v9[6:10]
        v13 = v3.diagonal_scatter(x4, offset=2, dim1=1, dim2=-2)
    else:
        v11 = v7.diagonal_scatter(x4, offset=0, dim2=1)
    return v5, v9, v10, v4, v2

def run(f):
    x0 = _fill("uniform", 29907, 1093, torch.float32).as_strided([33, 33], [33, 1], 4)
    x1 = torch.zeros([100, 33])
    x2 = torch.tensor([1.375, -0.125, -1.75, 0.125, -0.375, 0.125, -1.375, 1.5, -1.5, -0.875, -0.625, 1.875, 2.0, 1.75, -0.625, 1.75, 0.375, 0.5, 0.0, 1.25, -1.125, -0.75, -0.625, -0.375, 0.875, 0.125, -0.75, 0.125, 1.0, -1.375, 0.5, -1.375]).requires_grad_()
    x3 = torch.tensor([-0.36830782890319824, 1.725361943244934, -0.18914537131786346, -0.35987362265586853, -1.1383154392242432, -1.691049337387085, -0.21412880718708038, -1.2960525751113892, 0.5560007691383362, -1.1880991458892822, -0.794258177280426, -1.6950355768203735, -1.100321650505066, 0.6287274956703186, 0.8381527066230774, 1.1898266077041626, -1.3599507808685303, -1.6076380014419556, 1.3360499143600464, 0.8005048632621765, 1.9397573471069336, 0.4879762828350067, -1.2930258512496948, 0.21555569767951965, 1.5393798351287842, 1.8882136344909668, -0.9002588987350464, -1.4545323848724365, 1.0732005834579468, -0.043061308562755585, -0.2845950722694397, 1.6742266416549683]).as_strided([32], [1], 0).detach().requires_grad_()
    x4 = torch.tensor([-1.875, 1.5, -1.125, -0.125, 0.625, 1.625, -1.0, 1.375, -0.125, -0.25, -1.0, 0.125, 0.25, 0.875, -1.5, 0.75, -1.25, -0.875, -1.125, -0.875, -1.5, -0.125, -1.75, 0.875, -1.0, -1.875, -2.0, 1.5, 1.75, -1.5, 0.375, 0.375, -1.75]).as_strided([33], [1], 0)
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0], r[1], r[2]], [_fill("dyadic", 56167, 3300, torch.float32).reshape([100, 33]), torch.tensor([-0.375, -1.625, -1.5, -1.5, -0.375, -1.375, 1.375, 0.25, 1.375, -1.25, -1.375, -1.375, 0.125, -1.875, 1.75, -1.25, 1.5, 0.375, -1.625, 0.5, -1.25, 0.5, 0.75, 0.625, 1.875, -0.375, -1.125, 1.5, -1.375, -1.375, 1.875, 0.125]), torch.tensor([-1.5])])
    return r[0].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
