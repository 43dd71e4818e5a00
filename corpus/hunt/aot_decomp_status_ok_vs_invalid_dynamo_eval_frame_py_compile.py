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


class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0):
        y0 = a0.neg()
        ctx.save_for_backward(y0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [y0] = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            p0 = g0.clamp(min=-0.5, max=0.5)
        else:
            p0 = g0.clone()
        return p0

def f(x0, x1, x2, x3, x4):
    x0[...] = x1
    v1 = x0.squeeze()
    v2 = x1.squeeze()
    v3 = x0.matmul(x2)
    if x2.grad_fn is not None:
        v4 = x2.neg()
    else:
        v5 = x2.detach()
        v4 = v5.add(4)
    v6, v7 = torch.autograd.grad([v2, v3], [x0, x1], grad_outputs=[v4, v3], allow_unused=True)
    if v6 is None: del v6
    if v7 is None: del v7
    v8 = v4.matmul(x4)
    v9 = v7.squeeze()
    v10 = _fn_f0.apply(v7)
    v11 = v6.log()
    v4 = x4.relu()
    v12 = v4.log()
    v13 = v12.log()
    return v13, v13

def run(f):
    x0 = _fill("uniform", 11143, 1000, torch.float16)
    x1 = _fill("uniform", 12244, 1000, torch.float16).as_strided([1000], [1], 0).detach().requires_grad_()
    x2 = _fill("dyadic", 17157, 1000, torch.float16).as_strided([1000], [1], 0)
    x3 = _fill("dyadic", 67267, 4032, torch.bool).as_strided([1, 63, 64], [1, 1, 63], 0)
    x4 = _fill("uniform", 1215, 1000, torch.float16).as_strided([1000, 1], [1, 1000], 0).detach().requires_grad_()
    r = f(x0, x1, x2, x3, x4)
    torch.autograd.backward([r[0], r[1]], [_fill("dyadic", 73517, 1000, torch.float16).reshape([1000, 1]), _fill("dyadic", 73518, 1000, torch.float16).reshape([1000, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
