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
    p0 = g0.abs()
    _hooked.grad = p0

def f(x0, x1, x2, x3):
    v1, v2 = torch._foreach_cos([x0, x1])
    v3 = next(_py_v for _py_v in (v2.expm1(),))
    v4 = v3.expm1()
    _hook0_x1 = x1.register_post_accumulate_grad_hook(_fn_h0)
    x2.detach_()
    _py_i = 0
    while True:
        _py_i += 1
        if _py_i < 3:
            continue
        v5, v6 = torch._foreach_cos([v1, x0])
        break
    (v7,) = torch._foreach_cos([v5])
    assert v6.requires_grad
    v8 = v7.expm1()
    def _py_f():
        return x3.detach_()
    _py_none = _py_f()
    assert not (x3.requires_grad)
    v9 = x3.expm1()
    def _py_f():
        return v9.expm1()
    v10 = _py_f()
    _py_x = [None, None]
    _py_x[1:] = [v8.expm1()]
    v11 = _py_x.pop()
    v12 = v11.isfinite()
    v13, v14 = torch.nn.Identity()(torch._foreach_cos([v11, v5]))
    return v13, v14, v12, v10, v6, v4

def run(f):
    x0 = torch.tensor([0.125, -0.125, -1.625, 0.125, -1.125, -1.625, 1.0, 1.75, -0.5, 0.25, 1.75, -0.75, -0.25, -0.875, -0.375, 1.75, 1.875, 0.875, 1.75, 1.75, 0.75, -0.25, 1.25, 1.75, -0.25, 2.0, 1.0, -0.75, 0.75, 0.125, 1.125, -1.625, 0.375, -1.625, -1.375, -1.125, 0.875, -0.125, -1.5, 1.125, -1.75, -1.625, 1.875, -0.75, -1.875, -2.0, 1.5, -1.625, -1.375, -0.25, 1.0, -1.5, -0.375, 1.0, -0.125, 1.375, -1.5, 0.625, -1.25, 0.25, -0.125, 0.25, -1.0, 0.0, 0.375]).as_strided([65, 17], [1, 0], 0).detach()
    x1 = torch.tensor([1.4599430561065674, -0.12374065071344376, -1.2597286701202393, 1.761436939239502, 0.9882739186286926, -1.8037972450256348, -1.5796066522598267, -1.1646735668182373, 0.10581163316965103, 1.8826289176940918, 1.2073427438735962, -1.7562259435653687, -1.977506399154663, 1.5960900783538818, 0.2785310447216034, -0.645089328289032, 0.41238757967948914]).as_strided([17], [1], 0).detach().requires_grad_()
    x2 = _fill("uniform", 16419, 14336, torch.bfloat16).reshape([2048, 1, 7])
    x3 = _fill("uniform", 17600, 3179, torch.float32).reshape([17, 17, 11])
    r = f(x0, x1, x2, x3)
    torch.autograd.backward([r[1], r[4]], [_fill("dyadic", 17545, 1105, torch.float32).reshape([65, 17]), _fill("dyadic", 17548, 1105, torch.float32).reshape([65, 17])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
