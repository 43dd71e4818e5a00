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


def _py_trained(function, args, make):
    with torch.enable_grad():
        copies = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in args]
        floats = [a for a in copies if a.requires_grad]
        if not floats:
            return function(*args)
        optimizer = make(floats)
        for _ in range(2):
            optimizer.zero_grad()
            loss = floats[0].sum() * 0
            for r in function(*copies):
                loss = loss + r.sum() if r.is_floating_point() else loss
            loss.backward()
            optimizer.step()
    return function(*[a.detach() for a in copies])
def _py_adam(function, *args):
    return _py_trained(function, args, lambda p: torch.optim.Adam(p, lr=0.3))


def f(x0, x1, x2, x3, x4, x5):
    v1 = torch.rand_like(x0, dtype=None)
    v2 = torch.ops.aten.upsample_linear1d.default(x1, [1], False)
    v3 = torch.ops.aten.glu.default(x0, dim=1)
    v4 = x1.squeeze(0)
    v5 = v4.float_power(v2)
    v6 = v4.ravel()
    v7 = torch.ops.aten.reflection_pad2d.default(v2, [0, 0, 0, 0])
    v8 = v3.expm1()
    v9 = torch.ops.aten.replication_pad3d.default(x2, [0, 0, 0, 0, 0, 0])
    def _py_block(v2, v7, x3):
        v10 = torch.where(x3, v2, v7)
        return (v10,)
    [v10] = _py_adam(_py_block, v2, v7, x3, )
    v10.transpose_(2, 0)
    v11 = v10.put(x4, x5, accumulate=False)
    return v6, v9, v11, v8, v5, v1

def run(f):
    x0 = _fill("decimal", 35602, 2048, torch.float16).reshape([32, 64])
    x1 = torch.tensor([[[-0.375, -1.875, 0.875, -1.5]], [[1.125, 0.375, -0.125, 1.5]], [[0.75, -0.25, -1.625, -1.75]], [[1.25, -1.875, 1.875, -1.0]], [[1.75, 1.75, 1.75, -1.875]], [[2.0, -0.75, 1.75, 2.0]], [[0.125, -1.125, -1.5, -1.0]], [[-0.375, 1.25, 0.125, 1.125]], [[0.875, 0.125, 1.0, 1.375]], [[-1.25, -0.25, -1.875, -0.5]], [[1.75, -1.25, 0.25, -1.875]], [[1.5, 0.875, 1.75, 0.875]], [[-2.0, 0.0, -0.125, -2.0]], [[1.125, 0.375, 1.25, -1.625]], [[0.0, 0.25, 1.5, -2.0]], [[1.125, 1.0, -1.375, -0.875]], [[0.125, 0.625, -1.375, 1.875]], [[-0.875, -1.375, -1.0, 1.25]], [[-0.875, -0.75, -0.5, -0.875]], [[0.75, 1.375, 1.75, -1.75]], [[1.875, -2.0, 1.75, 0.5]], [[0.0, -1.25, 0.0, -0.875]], [[-0.75, 1.25, -1.125, -1.125]], [[-1.25, -0.625, -2.0, 0.0]], [[0.875, -1.625, -1.875, 0.75]], [[0.375, -1.5, 1.5, 1.25]], [[1.75, 1.625, 0.0, -1.375]], [[-1.25, 1.375, -0.125, 1.0]], [[-1.25, -0.875, 2.0, -0.625]], [[-1.0, 0.0, 2.0, -1.875]], [[0.0, 2.0, -1.625, 0.25]], [[1.125, 1.5, -0.625, -1.375]], [[-0.75, 2.0, -0.5, 1.375]], [[-0.5, 1.625, 0.625, 1.625]], [[-1.125, 1.125, 2.0, -1.125]], [[-1.75, 1.25, 1.875, 0.375]], [[0.75, 1.0, 1.5, -0.5]], [[-1.75, -0.75, 1.25, -0.375]], [[0.875, -0.75, -0.625, 1.125]], [[-0.875, -1.875, 1.25, -0.5]], [[-1.875, -1.375, 0.875, 1.125]], [[1.375, 1.5, -0.75, -2.0]], [[1.625, -1.75, 1.75, -1.25]], [[-1.25, -0.5, -0.375, -1.0]], [[0.375, 0.75, -0.75, -0.875]], [[1.125, -0.625, -1.25, 0.625]], [[0.5, 0.5, 2.0, 0.625]], [[-0.125, 0.625, 2.0, -0.25]], [[1.125, 1.25, 1.25, -0.125]], [[0.625, -1.375, 1.0, 0.375]], [[1.625, 0.375, 1.5, 0.5]], [[-1.125, -0.625, 1.5, -0.25]], [[2.0, -0.5, -0.375, 0.0]], [[1.25, -0.75, -1.25, 0.75]], [[-0.75, -0.875, -1.375, 1.0]], [[1.125, 0.0, -0.375, -0.75]], [[0.625, 0.375, 0.5, 0.25]], [[1.875, 1.125, 1.625, -0.625]], [[0.625, 1.0, 1.5, 2.0]], [[0.0, 1.5, 1.375, 0.125]], [[1.125, 1.375, -0.875, -1.875]], [[1.875, -0.125, 2.0, -0.375]], [[-1.5, 0.5, 0.75, -1.5]], [[-1.75, 1.75, 0.75, -2.0]]], dtype=torch.float16).requires_grad_()
    x2 = torch.tensor([1.75, 0.375, -0.75, -1.875, -1.125, -1.875, 1.875, 0.75, -0.75, 0.25, -0.5, -1.125, 1.125, -1.5, -0.875, 0.0, 0.5, 2.0, 1.125, -1.25, 0.875, 1.125, 1.25, 0.125, -0.875, -0.125, 1.875, -0.125, -0.75, 1.375, 1.625, 0.625, 1.25, 0.125, -1.625, -2.0, -1.625, -1.875, 0.875, -1.0, 0.75, -1.125, 0.125, 0.625, 2.0, 0.375, 0.25, 1.375, 0.5, -0.75, -0.375, 1.75, 1.875, 0.875, 0.25, 0.375, 1.125, 1.125, 0.375, -1.75, -2.0, -1.375, -0.875, 1.75, 1.375, -0.625, -1.5, -0.125, 0.0, 1.25, 0.375, -1.0, -1.25, 1.0, 1.25, -1.5, 1.375, 1.375, -1.75, -1.375, -1.625, 0.0, 1.875, 0.625, 0.625, -1.375, 1.75, -1.0, 0.625, -1.75, 0.25, 1.25, 1.75, 0.625, -2.0, 0.5, 0.875, -0.125, -0.875, -0.625, 0.75, -0.5, 0.0, -0.375, -1.375, -1.5, -1.0, -0.625, -1.875, -1.75, 0.375, -0.125, 0.875, 1.75, 1.0, 1.5, 0.375, 0.0, -1.125, -0.625, 0.75, 0.5, -1.25, -1.75, 0.125, 1.875, -0.875, -0.75, 0.0, 1.75, -1.25, -0.5, 1.125, -1.25, 0.625, 1.375, -1.75, -1.5, -1.0, -0.625, -1.25, -0.5, -0.125, -0.75, 0.125, -0.5, 1.25, 1.25, 0.75, -1.125, 1.25, -1.0, 1.25, -1.25, 1.0, 0.625, -1.0, -0.375, 0.25, 1.375, 2.0, -0.375, 0.5, -1.125, 1.625, 0.25, -1.5, -1.5, -1.75, -0.125, 0.0, -0.75, -1.875, -0.75, 0.25, -1.625, -0.375, 1.375, 0.875, 1.25, -0.375, -1.75, -0.375, -1.5, 0.375, -0.625, 1.75, -1.875, 1.25, 0.75, -1.75, -1.375], dtype=torch.float16).as_strided([64, 3, 1, 1], [3, 1, 3, 3], 0).detach().requires_grad_()
    x3 = torch.tensor([True, False, False, True, False, False, True, True, True, True, False, False, False, True, False, True, False, True, False, False, True, True, True, False, False, False, True, False, False, False, False, False, True, False, False, False, False, True, False, True, True, False, False, False, True, True, True, True, False, True, False, False, False, True, False, True, True, True, True, True, False, True, True, False]).as_strided([64, 1, 1], [1, 64, 64], 0)
    x4 = torch.tensor([[34], [35], [36], [37]])
    x5 = torch.tensor([1.375, -1.25, -0.625, -0.75], dtype=torch.float16).as_strided([4, 1], [1, 1], 0).detach().requires_grad_()
    torch.manual_seed(17215)
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5)
    return r[2].detach()

compiled = torch.compile(f, backend="eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
