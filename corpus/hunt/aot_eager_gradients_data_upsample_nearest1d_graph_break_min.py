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
        ctx.save_for_backward(a0, a0)
        return a0
    @staticmethod
    def backward(ctx, g0):
        [a0, a0] = ctx.saved_tensors
        p0 = g0.clamp(min=-0.5, max=0.5)
        return p0

def f(x0, x1, x2, x3, v5):
    v1 = torch.ops.aten.upsample_nearest1d.default(x2, [5])
    v2 = _fn_f0.apply(v1)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v3 = x3.min(v2)
    v4 = torch.ops.aten.upsample_nearest1d.default(v1, [7], scales=1.5)
    return v3, v5

def run(f):
    x0 = _fill("dyadic", 40469, 6400, torch.float32).as_strided([64, 100], [100, 1], 0)
    x1 = _fill("decimal", 43652, 10000, torch.float32).as_strided([100, 100], [100, 1], 0)
    x2 = torch.tensor([[[-1.5, -1.75, -1.625, 1.125], [1.125, -1.75, 1.625, -0.875]]], dtype=torch.float16).requires_grad_()
    x3 = torch.tensor([[[1.66015625], [1.84375]]], dtype=torch.float16)
    v5 = torch.tensor([0.5, 0.375, -2.0], dtype=torch.float16).requires_grad_()
    r = f(x0, x1, x2, x3, v5)
    torch.autograd.backward([r[0], r[1]], [torch.tensor([[[-1.75, -1.625, 2.0, -0.25, -0.5], [1.125, 0.75, -0.625, 0.875, 0.375]]], dtype=torch.float16), torch.tensor([-1.5, 2.0, -1.625], dtype=torch.float16)])
    return x2.grad

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
