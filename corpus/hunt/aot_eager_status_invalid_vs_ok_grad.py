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
def _py_of_floats(function, args, where):
    def inner(*floats):
        full = list(args)
        for i, a in zip(where, floats):
            full[i] = a
        return function(*full)
    return inner
def _py_weighed(gradients):
    total = 0
    for g in gradients:
        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()
    return total
def _py_plus(results, number):
    return [r + number if r.is_floating_point() else r for r in results]
def _py_vjp(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    def both(*floats):
        results = _py_of_floats(function, args, where)(*floats)
        return tuple(r for r in results if r.is_floating_point()), tuple(results)
    of, pull, results = torch.func.vjp(both, *[args[i] for i in where], has_aux=True)
    return _py_plus(results, _py_weighed(pull(tuple(torch.ones_like(r) for r in of))))


def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x0.abs()
    v2 = v1.add(3)
    v3 = v1.transpose(0, -1)
    v1[x2, :] = 1.5
    v4 = torch.ops.aten.relu6.default(x1)
    v3[0:, x3] = -4
    def _py_block(x0, x4, x5):
        v5 = x0.moveaxis(-2, -2)
        v6 = torch.ops.aten.im2col.default(x4, [1, 2], [2, 2], [0, 0], [2, 2])
        v7 = v5.mv(x5)
        return (v5, v6, v7,)
    [v5, v6, v7] = _py_vjp(_py_block, x0, x4, x5, )
    v8 = v6.mul(5)
    if not (v8.requires_grad):
        v9 = v8.detach()
    else:
        v9 = v8.neg()
    return v9, v7, v4, v2

def run(f):
    x0 = _fill("dyadic", 81309, 2003, torch.float32).as_strided([1000, 2], [2, 1], 3)
    x1 = _fill("dyadic", 32615, 962, torch.int32).as_strided([31, 31], [31, 1], 1)
    x2 = torch.tensor([107, 108, 109])
    x3 = _fill("dyadic", 15680, 1000, torch.bool)
    x4 = _fill("dyadic", 82956, 2887, torch.float32).as_strided([31, 31, 3], [93, 3, 1], 4).detach().requires_grad_()
    x5 = torch.tensor([-1.100000023841858, -1.100000023841858]).requires_grad_()
    x6 = torch.arange(992.0).reshape([62, 16]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6)
    v9, v7, v4, v2, = r
    (v11,) = torch.autograd.grad([v7], [x4], grad_outputs=[v7], retain_graph=True)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
