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


def f(x0, x1, x2, x3):
    v1 = x0.abs()
    v2 = v1.add(2)
    v3 = v2.neg()
    def _py_block(x2, v1, v3):
        v4 = torch.ops.aten.hardsigmoid.default(x2)
        v5 = v1.clamp_min(v1)
        v6 = v1.clamp_min(v1)
        v7 = v3.atan2(v5)
        v8 = v3.atan2(v5)
        return (v4, v5, v6, v7, v8,)
    [v4, v5, v6, v7, v8] = torch.utils.checkpoint.checkpoint(_py_block, x2, v1, v3, use_reentrant=False)
    v6.squeeze_(-2)
    v6.squeeze_(0)
    v1 = torch.ops.aten.threshold.default(v6, 1e+30, 2.0)
    v9 = torch.ops.aten.threshold.default(v6, 1e-46, 0)
    v6.squeeze_(-2)
    v10 = v7.diagflat(offset=-1)
    v7.squeeze_(1)
    v11 = v9.diagflat()
    v12 = v8.as_strided_([1, 1], [3, 1])
    v13 = v4.diagflat()
    return v6, v13, v12, v11, v10, v1

def run(f):
    x0 = torch.tensor([-1.1150188446044922, -1.7058517932891846, -0.6656482219696045, -0.926949143409729, 0.3282405138015747, 0.3166065514087677, -0.3399030864238739, -0.5417559742927551, -1.734017014503479, 1.1710567474365234, 1.0663115978240967, -1.5195908546447754, -0.7836179733276367, 1.8622715473175049, -0.3690545856952667, 0.06728792935609818, 1.9268335103988647, 0.4296046793460846, -0.7607272863388062, -0.3104482591152191, -1.5423203706741333, 1.8055633306503296, -1.307874321937561, 1.6496402025222778, 0.5134363770484924, 0.7755997776985168, 0.41138187050819397, 1.9159435033798218, 1.4002796411514282, -0.6174256205558777, -1.3070544004440308]).as_strided([31, 1], [1, 31], 0).detach()
    x1 = x0.detach().as_strided([1, 31], [31, 1], 0).detach()
    x2 = torch.tensor([-1.5, -0.5, -0.375, 0.75, 0.125, 1.875, 1.375, 1.125, -1.875, -1.125, 0.75, 1.625, 0.375, -0.375, 1.375, -0.75, -1.375, -1.625, -0.625, 0.875, -2.0, -0.25, -1.625, -0.875, 1.25, -1.75, -2.0, 1.75, -1.125, -0.375, -1.0]).as_strided([31, 1], [1, 0], 0).detach().requires_grad_()
    x3 = torch.tensor([0.6000000238418579]).as_strided([1], [1], 0).detach().requires_grad_()
    r = f(x0, x1, x2, x3)
    v6, v13, v12, v11, v10, v1, = r
    v13.grad = None
    v15 = torch.ops.aten.threshold.default(x2, 0, -0.5)
    (v16,) = torch.autograd.grad([v13], [x2], grad_outputs=[v11], retain_graph=True)
    (v17,) = torch.autograd.grad([v13], [v15], grad_outputs=[v11], allow_unused=True)
    if v17 is None: del v17
    torch.autograd.backward([v13], grad_tensors=[v11])
    v12[[0], [0]] = x3
    torch.autograd.backward([r[1], r[2]], [_fill("dyadic", 40282, 961, torch.float32).reshape([31, 31]), torch.tensor([[-1.0]])])
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
