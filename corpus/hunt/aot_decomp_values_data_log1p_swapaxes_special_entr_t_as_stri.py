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


def _fn_h0(_hooked):
    a0, g0 = _hooked, _hooked.grad
    p0 = g0.neg()
    _hooked.grad = p0

def f(x0, x1, x2, x3):
    v1 = x1.log1p()
    v2 = x0.swapaxes(1, -2)
    v3 = torch.ops.aten.special_entr.default(x0)
    v1.t_()
    v4 = v2.as_strided([1, 2], [6, 1], storage_offset=0)
    torch.alpha_dropout_(v3, 0.5, True)
    v5 = v1.squeeze()
    v6 = v1.detach()
    v1.fill_(0.25)
    v7 = v3.square_()
    v3 = v4.log()
    v8 = x1.expand_as(x2)
    v9 = v8.ne(3)
    v10 = v4.squeeze(-2)
    v1.hypot_(x3)
    _hook0_x2 = x2.register_post_accumulate_grad_hook(_fn_h0)
    _hook0_x2.remove()
    return v6, v2, v9, v3, v7, v5

def run(f):
    torch.manual_seed(87837)
    x0 = _fill("uniform", 66421, 965, torch.bfloat16).as_strided([31, 31], [31, 1], 4).detach().requires_grad_()
    x1 = x0.detach().as_strided([31, 31], [31, 1], 4).detach().requires_grad_()
    x2 = _fill("uniform", 48790, 961, torch.bfloat16).as_strided([31, 31], [31, 1], 0).detach().requires_grad_()
    x3 = _fill("dyadic", 95529, 961, torch.int8).as_strided([31, 31], [1, 31], 0)
    r = f(x0, x1, x2, x3)
    torch.autograd.backward([r[1], r[3], r[4], r[5]], [_fill("dyadic", 48440, 961, torch.bfloat16).reshape([31, 31]), torch.tensor([[-0.5, -0.125]], dtype=torch.bfloat16), _fill("dyadic", 48443, 961, torch.bfloat16).reshape([31, 31]), _fill("dyadic", 48444, 961, torch.bfloat16).reshape([31, 31])])
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
