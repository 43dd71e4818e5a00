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
    v1 = x2.abs()
    v2 = v1.add(1)
    v3 = v2.neg()
    v3[:680, x3] = x4
    v4 = torch.ones([], dtype=torch.float32)
    x4[-128, [0]] = v4
    def _py_block(v4, x5, x6):
        v5 = v4.sigmoid()
        v6 = torch.ops.aten.alias_copy.default(x5)
        v7 = torch.tensor([0, 0, 0, 0], dtype=torch.int64).reshape([4]).clone()
        v8 = v6.index_fill(0, v7, x6)
        return (v5, v6, v7, v8,)
    [v5, v6, v7, v8] = _py_vjp(_py_block, v4, x5, x6, )
    pass
    return v5, v6, x5

def run(f):
    x0 = torch.zeros([100, 1, 1, 1])
    x1 = _fill("dyadic", 41592, 2049, torch.float32).as_strided([1025, 1, 1], [2, 2, 1], 0).detach().requires_grad_()
    x2 = _fill("uniform", 35584, 1028, torch.float32).as_strided([1025, 1], [1, 1], 3)
    x3 = torch.tensor([True])
    x4 = _fill("dyadic", 61071, 680, torch.float32).reshape([680, 1])
    x5 = torch.tensor([0.30000001192092896]).requires_grad_()
    x6 = torch.tensor(1.375)
    r = f(x0, x1, x2, x3, x4, x5, x6)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
