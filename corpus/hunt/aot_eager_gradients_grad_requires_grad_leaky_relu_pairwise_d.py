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


def f(x0, x1, x2, x3):
    v1 = torch.ops.aten.leaky_relu.default(x0, negative_slope=-0.75)
    v2 = torch.ops.aten.leaky_relu.default(x0, negative_slope=-0.75)
    v3 = torch.ops.aten.pairwise_distance.default(v2, x0)
    if v1.dim() == 2:
        pass
    else:
        x2.detach_()
        v5 = x2.moveaxis(-2, 1)
    v6, v7, v8 = torch.autograd.grad([v1], [v2, v1, v1], grad_outputs=[x3], retain_graph=False, create_graph=True, allow_unused=True)
    if v6 is None: del v6
    if v7 is None: del v7
    if v8 is None: del v8
    v9 = v8[None, ...]
    v10 = v8[None, ...]
    v11 = v9.div(v7, rounding_mode='floor')
    return v1, v2, v9, v10, v11

def run(f):
    x0 = torch.ones([1000]).requires_grad_()
    x1 = _fill("dyadic", 88938, 14415, torch.float32).reshape([15, 31, 31]).requires_grad_()
    x2 = torch.tensor([1.875, 1.75, 1.875, 0.5, -2.0, 1.375, -1.375, 0.375, -1.0, 1.375, 0.125, 2.0, 2.0, 1.25, -1.875, -1.5, -0.5, 0.875, -0.5, -0.5, 0.125, 0.625, -0.625, -1.875, -1.0, -0.375, -1.625, -1.875, 0.75, -1.0, 0.5, -0.5, 0.375, -1.375, 1.0, -0.125, 1.5, -1.375, -0.125, -1.125, 1.625, 1.875, 1.0, 0.0, 0.625, -1.75]).as_strided([15, 3], [3, 1], 1)
    x3 = _fill("uniform", 30149, 1000, torch.float32).requires_grad_()
    r = f(x0, x1, x2, x3)
    v1, v2, v9, v10, v11, = r
    torch.autograd.backward([v11], grad_tensors=[v9], retain_graph=True)
    torch.autograd.backward([v2], grad_tensors=[v2], retain_graph=True)
    torch.autograd.backward([v11], grad_tensors=[v9], retain_graph=True, create_graph=True)
    torch.autograd.backward([r[0], r[1], r[2], r[3], r[4]], [_fill("dyadic", 54512, 1000, torch.float32), _fill("dyadic", 54513, 1000, torch.float32), _fill("dyadic", 54514, 1000, torch.float32).reshape([1, 1000]), _fill("dyadic", 54515, 1000, torch.float32).reshape([1, 1000]), _fill("dyadic", 54516, 1000, torch.float32).reshape([1, 1000])])
    return x3.grad.requires_grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
