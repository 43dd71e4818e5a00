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


def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_weighed(gradients):
    total = 0
    for g in gradients:
        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()
    return total
def _py_plus(results, number):
    return [r + number if r.is_floating_point() else r for r in results]
def _py_scalar(function, where):
    def scalar(*args):
        results, total = function(*args), args[where[0]].sum() * 0
        for r in results:
            total = total + r.sum() if r.is_floating_point() else total
        return total, tuple(results)
    return torch.func.grad_and_value(scalar, argnums=tuple(where), has_aux=True)
def _py_per_sample_grad(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]
    gradients, (_, results) = torch.func.vmap(_py_scalar(function, where))(*pairs)
    return _py_plus([r[1] for r in results], _py_weighed([g[1] for g in gradients]))


def f(x0, x1, x2):
    v1 = x0.abs()
    v2 = v1.add(2)
    v2.heaviside_(x0)
    v3 = v1.expand([17, 17, 17])
    v4 = torch.tensor([0, 0, 0], dtype=torch.int64).reshape([3]).clone()
    v1 = v1[::2, v4, v4]
    def _py_block(v3):
        v5 = v3.swapaxes(2, -2)
        v6 = v3.swapaxes(2, 1)
        v7 = torch.ops.aten.softshrink.default(v5, lambd=0.125)
        v8 = torch.ops.aten.softshrink.default(v5, lambd=0.125)
        v9 = torch.ones([33, 17])
        return (v5, v6, v7, v8, v9,)
    [v5, v6, v7, v8, v9] = _py_per_sample_grad(_py_block, v3, )
    return v9, v6, v8

def run(f):
    x0 = torch.tensor([-0.39990234375, -0.0999755859375, 1.2001953125, 1.400390625], dtype=torch.float16).as_strided([1, 1, 1], [1, 1, 1], 3).detach().requires_grad_()
    x1 = _fill("dyadic", 65532, 35940, torch.float32).as_strided([33, 33, 33], [1089, 33, 1], 3)
    x2 = torch.tensor([0.199951171875, -1.599609375, 0.0, 1.0, -1.0, -1.0, -0.300048828125, -0.300048828125, 1.0, -0.7998046875, 0.199951171875, -0.89990234375, 1.5, -1.5, -0.5, 0.300048828125, -0.300048828125, 0.300048828125, 0.300048828125, -1.599609375, -1.2001953125, -0.39990234375, -0.199951171875, -1.599609375, 0.89990234375, 1.599609375, -0.0999755859375, 0.7001953125, 0.0999755859375, 1.400390625, -1.400390625, 0.0999755859375, 0.0, -1.5, -1.2001953125, 0.7001953125, -1.099609375, 0.89990234375, -1.099609375, 0.0999755859375, -0.39990234375, 0.0999755859375, -1.599609375, 0.0999755859375, 1.400390625, 0.0999755859375, 0.39990234375, -0.39990234375, 0.7998046875, 0.5, -0.60009765625, 0.199951171875, -1.5, 0.7998046875, 0.5, 0.199951171875, -0.199951171875, 0.7998046875, -1.400390625, 0.300048828125, -1.099609375, -0.199951171875, -0.7998046875, 0.39990234375, 1.5, -0.7998046875, 1.2001953125, -0.89990234375, -0.199951171875], dtype=torch.float16).as_strided([4, 17], [17, 1], 1)
    r = f(x0, x1, x2)
    return r[0].requires_grad

compiled = torch.compile(f, backend="inductor")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
