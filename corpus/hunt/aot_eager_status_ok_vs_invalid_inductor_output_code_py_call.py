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


def _py_unbacked(function, *args):
    known, sized = {}, []
    for a in args:
        if a.dim():
            if a.shape[0] not in known:
                n = torch.ones(a.shape[0], dtype=torch.int64).sum().item()
                torch._check(n >= 0)
                torch._check(n <= a.shape[0])
                known[a.shape[0]] = n
            a = a.narrow(0, 0, known[a.shape[0]])
        sized.append(a)
    return function(*sized)


def f(x0, x1, x2, x3):
    torch.ops.aten.leaky_relu_.default(x1, negative_slope=2.5)
    x0[::2, 2:, ::3] = x2
    v1 = x2.xlogy(0)
    v2 = x2.prod()
    torch.ops.aten.leaky_relu_.default(x0, negative_slope=-1.5)
    torch.ops.aten.leaky_relu_.default(v1, negative_slope=0.125)
    v3 = x2.prod()
    v4 = x1.acosh()
    torch.ops.aten.leaky_relu_.default(v4, negative_slope=0.0)
    v5, v6 = torch.adaptive_max_pool1d(x2, [2])
    v7 = torch.ops.aten.selu.default(v3)
    v8 = torch.ops.aten.selu.default(v5)
    v9, v10 = torch.adaptive_max_pool1d(x2, [1])
    def _py_block(v3, v9, v10):
        v11 = v10.unsqueeze(-1)
        v12 = v3.logcumsumexp(0)
        v13 = v9.argmax(dim=1)
        return (v11, v12, v13,)
    [v11, v12, v13] = _py_unbacked(_py_block, v3, v9, v10, )
    return x3, v8, v13, v12, v11, v7, v6, v2

def run(f):
    x0 = torch.arange(6143.0).as_strided([2048, 2, 1], [3, 1, 1], 0).detach()
    x1 = _fill("dyadic", 26815, 576, torch.float64).reshape([64, 9])
    x2 = torch.zeros([0, 1]).requires_grad_()
    x3 = torch.zeros([0, 1, 1], dtype=torch.float64).requires_grad_()
    r = f(x0, x1, x2, x3)
    torch.autograd.backward([r[0], r[1], r[3], r[5], r[7]], [torch.zeros([0, 1, 1], dtype=torch.float64), torch.zeros([0, 2]), torch.tensor(-1.875), torch.tensor(1.5), torch.tensor(1.125)])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
