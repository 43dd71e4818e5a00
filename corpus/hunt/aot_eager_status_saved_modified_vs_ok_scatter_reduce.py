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


def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x1.abs()
    v2 = v1.add(2)
    v3 = x0.sigmoid()
    v4 = v2.transpose(-3, 0)
    v1.copy_(x1)
    v5 = torch.tensor([0, 0], dtype=torch.int32).reshape([2]).clone()
    v6 = torch.tensor([1, 0, 1], dtype=torch.int64).reshape([3]).clone()
    v5.index_add_(-1, v6, x2)
    v7 = v3.tan()
    v6.bitwise_xor_(v6)
    v8 = torch.repeat_interleave(x3)
    v9 = torch.ops.aten.slice.Tensor(v4, dim=-3, end=-1000, step=2)
    v9.scatter_reduce_(-4, x4, x5, 'prod')
    return v7, v9

def run(f):
    x0 = _fill("uniform", 4909, 49920, torch.float32).as_strided([65, 64, 6, 2], [6, 780, 1, 390], 0).detach()
    x1 = _fill("dyadic", 75075, 65000, torch.float32).as_strided([1000, 1, 65, 1], [65, 1, 1, 1], 0).detach().requires_grad_()
    x2 = torch.tensor([7, 0, -8], dtype=torch.int32).as_strided([3], [1], 0).detach()
    x3 = torch.tensor([3, 1, 3, 3])
    x4 = torch.zeros([1, 0, 65, 1], dtype=torch.int64)
    x5 = torch.zeros([0]).as_strided([1, 0, 65, 1], [65, 65, 1, 1], 5).detach().requires_grad_()
    x6 = torch.tensor([[[-0.875]], [[0.5]], [[0.75]], [[0.125]], [[1.25]], [[-0.375]], [[0.875]], [[-1.875]], [[-2.0]], [[0.75]], [[-1.375]], [[-2.0]], [[-1.625]], [[-1.0]], [[-1.625]], [[-0.625]], [[0.5]], [[-0.125]], [[0.0]], [[-1.875]], [[0.25]], [[0.375]], [[0.625]], [[-0.25]], [[0.875]], [[-0.875]], [[-1.5]], [[0.375]], [[1.75]], [[-1.75]], [[0.875]], [[-1.625]], [[-0.25]], [[-0.25]], [[0.125]], [[-0.625]], [[-1.5]], [[1.5]], [[-2.0]], [[1.875]], [[-1.875]], [[1.75]]]).requires_grad_()
    r = f(x0, x1, x2, x3, x4, x5, x6)
    v7, v9, = r
    v10 = v9.expand([1000, -1, 65, 65])
    v10.erfinv_()
    torch.autograd.backward([v9], grad_tensors=[v9], retain_graph=True)
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
