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


def _fn_h0(g0):
    if not (g0 is None):
        g0 = g0.neg()
    return g0

def f(x0, x1, v10, v9, v8, v7, v6):
    v1 = x1.view([4, 2])
    _hook0_v1 = v1.register_hook(_fn_h0)
    v5 = v1.t()
    return v5, v10

def run(f):
    x0 = _fill("dyadic", 93811, 29119, torch.float32).as_strided([65, 32, 13], [448, 14, 1], 0)
    x1 = torch.tensor([0.59375, -0.0859375, 1.890625, -1.609375, -0.421875, 1.8671875, 1.65625, 1.3359375], dtype=torch.bfloat16).as_strided([8], [1], 0).detach().requires_grad_()
    v10 = torch.tensor([[0.5, 0.375, -2.0, 1.625], [0.25, 0.875, -2.0, -1.625]], dtype=torch.bfloat16).requires_grad_()
    v9 = torch.tensor([[0.5, 0.375, -2.0, 1.625], [0.25, 0.875, -2.0, -1.625]], dtype=torch.bfloat16).requires_grad_()
    v8 = torch.tensor([[0.5, 0.375, -2.0, 1.625], [0.25, 0.875, -2.0, -1.625]], dtype=torch.bfloat16).requires_grad_()
    v7 = torch.tensor([[0.5, 0.375, -2.0, 1.625], [0.25, 0.875, -2.0, -1.625]], dtype=torch.bfloat16).requires_grad_()
    v6 = torch.tensor([[0.5, 0.375, -2.0, 1.625], [0.25, 0.875, -2.0, -1.625]], dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1, v10, v9, v8, v7, v6)
    torch.autograd.backward([r[0], r[1]], [torch.tensor([[-1.375, 0.75, -1.625, -0.375], [0.875, 0.0, 0.5, -1.125]], dtype=torch.bfloat16), torch.tensor([[-1.5, 0.125, 0.25, 1.375], [-1.375, 1.25, -2.0, -1.375]], dtype=torch.bfloat16)])
    return x1.grad

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
