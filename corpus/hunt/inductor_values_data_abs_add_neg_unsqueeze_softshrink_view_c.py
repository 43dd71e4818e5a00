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


def f(x0, x1, x2):
    v1 = x1.abs()
    v2 = v1.add(3)
    v3 = v2.neg()
    v4 = v2.unsqueeze(-2)
    v5 = torch.ops.aten.softshrink.default(v4, lambd=1)
    def _py_block(v3):
        v6 = torch.ops.aten.view_copy.default(v3, [1])
        return (v6,)
    [v6] = _py_vjp(_py_block, v3, )
    if not (torch.is_grad_enabled()):
        v7 = v3.any()
        v8 = x2.sum()
    v9 = v3.unsqueeze(0)
    v10 = v2.any()
    v11 = v6.expand([65])
    v12 = v11.sum()
    v13 = v1.unsqueeze(1)
    v14 = v10.any()
    v10.copy_(v10)
    v15 = v11.expand([2, 65])
    v11.zero_()
    return v14, v15

def run(f):
    x0 = _fill("uniform", 7149, 2048, torch.float32).reshape([32, 64]).requires_grad_()
    x1 = torch.tensor([-2.0, -0.125]).as_strided([1], [1], 1)
    x2 = torch.tensor([[0.5], [-1.0]])
    r = f(x0, x1, x2)
    return r[1].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
