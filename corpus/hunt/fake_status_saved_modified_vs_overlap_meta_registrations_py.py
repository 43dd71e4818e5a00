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


import torch.utils.checkpoint
_py_global = None
def _py_leave(value):
    global _py_global
    _py_global = value
def _results(returned):
    return _py_global


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = x0.abs()
    v2 = v1.add(3)
    v3 = v2.neg()
    v4 = x2.tanh()
    v5 = x2.tanh()
    v6 = v5.tanh()
    v5.zero_()
    v7 = torch.nn.functional.linear(v6, v4, bias=x4)
    x4.copy_(x4)
    v8 = v7.tanh()
    v9, v10 = v8.topk(0, dim=0, largest=False)
    v8.fill_(-1.0)
    v11 = torch.nn.functional.linear(v10, x5, bias=x6)
    v12 = torch.nn.functional.linear(v10, x5, bias=x6)
    v13 = v12.index_select(-2, x7)
    v14 = v12.index_select(0, x7)
    v15 = v3.index_select(0, x8)
    def _py_block(v15):
        v16 = torch.trapezoid(v15, dx=-0.5)
        v17 = torch.trapezoid(v15, dx=-0.5, dim=-1)
        return (v16, v17,)
    [v16, v17] = torch.utils.checkpoint.checkpoint(_py_block, v15, use_reentrant=True)
    _py_leave([v4, v5, v6, v7, v9, v11, v12, v13])
    return None

def run(f):
    x0 = _fill("decimal", 99242, 1028, torch.float32).as_strided([1025, 1], [1, 1], 3).detach().requires_grad_()
    x1 = _fill("uniform", 29702, 3079, torch.float32).as_strided([1025, 3], [3, 1], 4).detach()
    x2 = torch.tensor([-0.21767058968544006, 1.6085044145584106, -1.9934457540512085, 0.4718431532382965, 1.5798778533935547, 1.2705974578857422, -1.5201336145401, -1.3314604759216309]).as_strided([8, 7], [1, 0], 0).detach().requires_grad_()
    x3 = torch.tensor([-1.125]).as_strided([1025], [0], 0).detach()
    x4 = torch.tensor([-0.06811828166246414]).as_strided([8], [0], 0).detach()
    x5 = torch.tensor([8, 2, -6, -7, 2, 13, 11, 0, 0, 12, -15, 2, 7, -2, -1, 7, -1, -9, 2, 1, 6, 3, 5, 7, -13, 13, 2, 9, -8, -6, 5, -12, -14, 11, -14, 5, 9]).as_strided([4, 8], [8, 1], 5).detach()
    x6 = torch.tensor([-11, -10, 2, 16, -10, -1, 16, 4]).as_strided([4], [1], 4).detach()
    x7 = torch.zeros([0], dtype=torch.int64)
    x8 = torch.tensor([1, 0])
    r = _results(f(x0, x1, x2, x3, x4, x5, x6, x7, x8))
    torch.autograd.backward([r[0], r[1], r[2], r[3], r[4]], [torch.tensor([[-0.25, -0.5, -0.5, -1.0, 2.0, 1.625, -1.75], [1.5, 2.0, 0.875, 0.5, -0.625, 0.5, -1.625], [1.625, -1.875, 0.0, 1.25, 0.75, 0.875, 1.0], [-0.5, 1.0, 1.75, 0.0, -1.625, 0.75, 1.25], [-1.625, -1.875, 1.0, -1.75, 0.625, 0.625, 1.0], [1.5, 1.25, 1.625, 1.5, -1.5, -0.75, -0.875], [-0.125, -0.125, 0.875, -1.375, -0.75, -1.625, 0.5], [-1.375, -0.5, -0.375, 0.0, 0.125, 0.0, -0.125]]), torch.tensor([[-1.75, -2.0, 0.875, 0.0, -1.25, 0.75, 1.25], [-0.375, -1.375, 1.375, -0.25, -1.125, -1.375, -1.75], [-1.75, -0.625, 0.625, 1.75, -2.0, 0.875, 0.5], [0.375, 1.25, 0.75, -1.625, 0.75, -1.625, 1.25], [-0.5, -0.25, -1.25, 0.25, -0.125, -1.25, -0.625], [1.125, 1.75, -2.0, -0.375, -2.0, -0.75, 0.375], [-1.125, 1.125, 1.5, -0.75, -0.75, -0.5, 0.375], [-0.875, -0.375, 1.375, -0.125, 1.25, -0.125, 1.625]]), torch.tensor([[-0.25, -0.375, -0.125, -1.875, -1.5, 1.125, -1.625], [0.0, -1.25, 1.75, 1.125, -0.5, 0.875, 1.5], [-0.75, 0.875, -1.375, -1.125, -0.5, -0.25, 0.25], [-1.625, -0.5, 1.0, -0.375, 2.0, 2.0, -1.75], [-1.125, -1.25, -1.75, 1.375, -1.75, 0.75, 1.125], [1.125, 1.0, -2.0, -0.25, -1.125, -0.625, -1.125], [-1.5, 0.75, -0.75, -0.25, 1.5, 0.875, -0.5], [0.625, 0.125, 0.75, 1.25, -1.25, -1.875, -1.5]]), torch.tensor([[2.0, -0.75, -1.0, 1.5, 0.75, 0.0, 0.125, -0.75], [-0.25, 1.375, -0.875, -0.5, 1.875, -0.25, -0.875, 1.75], [0.125, 1.125, 1.5, -0.625, -1.375, -2.0, -1.625, -0.5], [-1.0, -1.25, -1.125, -1.75, 0.5, 1.0, 0.25, -0.25], [-0.5, -1.125, 0.25, 0.875, 1.0, 0.75, 1.625, -1.75], [0.75, -1.5, 0.625, -0.25, -1.5, -1.25, 1.5, -0.75], [-1.875, 0.0, 0.25, 1.625, 0.375, -0.375, -1.25, 1.875], [0.625, -1.75, 1.25, 1.75, -1.125, -1.625, 0.75, -0.75]]), torch.zeros([0, 8])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
