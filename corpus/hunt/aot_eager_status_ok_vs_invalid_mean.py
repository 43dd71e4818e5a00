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
    p0 = g0.sum()
    return p0

def f(x0, x1, x2, x3, x4, v11):
    v1 = x0.add(-2)
    _hook0_x0 = x0.register_hook(_fn_h0)
    v7 = torch.ops.aten.slice.Tensor(x2, dim=1, start=-12, end=-17, step=1)
    v8 = x3.mean()
    v10 = v7.t()
    return v11, v8, x3

def run(f):
    x0 = torch.tensor([-1.5, 1.2, 0.5], dtype=torch.float64).as_strided([1, 3, 1, 1], [3, 1, 3, 3], 0).detach().requires_grad_()
    x1 = _fill("uniform", 97596, 1700, torch.float64).as_strided([100, 17], [17, 1], 0)
    x2 = torch.ones([1, 17], dtype=torch.float64)
    x3 = torch.zeros([1, 0], dtype=torch.float64).requires_grad_()
    x4 = torch.tensor([[0.5, 0.5, 0.5, -1.0, -1.75, -1.125, 0.875, -0.125, -1.625, 0.875, -0.375, -1.125, 0.875, 1.5, 0.5, 2.0, 0.375, 1.125]], dtype=torch.float64)
    v11 = torch.zeros([0, 1], dtype=torch.float64)
    r = f(x0, x1, x2, x3, x4, v11)
    torch.autograd.backward([r[1], r[2]], [torch.ones([], dtype=torch.float64), torch.ones([1, 0], dtype=torch.float64)])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
