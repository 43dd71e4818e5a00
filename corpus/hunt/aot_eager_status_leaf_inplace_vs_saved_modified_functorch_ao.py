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
def _py_sgd(function, *args):
    return _py_trained(function, args, lambda p: torch.optim.SGD(p, lr=0.5, momentum=0.5))


def f(x0, x1, x2, x3, v2):
    v1 = x0.expand([2, 64, 64])
    def _py_block(v1):
        v3 = v1.any(1)
        v4 = torch.bitwise_or(True, v3)
        return (v3, v4,)
    [v3, v4] = _py_sgd(_py_block, v1, )
    v5 = x2.expand([2, -1])
    v6 = v5.mean([1, -2])
    v7 = v1.softmax(-2)
    v8 = v1.softmax(-1)
    return v6, v7, v8, v4, v2

def run(f):
    x0 = torch.tensor([-0.60009765625, -1.599609375, 1.400390625, -1.2998046875, -0.0999755859375, 1.400390625, 0.0999755859375, -0.5, -1.5, -1.2001953125, -0.7001953125, -1.2001953125, -0.7998046875, -1.2001953125, -1.5, 1.599609375, -0.199951171875, -0.7001953125, -1.2001953125, -1.099609375, 1.2001953125, -0.7998046875, -1.2998046875, 0.0999755859375, 1.599609375, 1.599609375, -1.5, 0.39990234375, 1.2001953125, -1.2001953125, -1.5, -1.400390625, 1.2998046875, 0.300048828125, -0.7998046875, 1.2998046875, 0.39990234375, -0.7998046875, 1.2998046875, -0.89990234375, -0.89990234375, 0.199951171875, 0.89990234375, -1.2998046875, 1.2001953125, -1.400390625, 0.7998046875, 1.2001953125, -1.099609375, -0.199951171875, -0.199951171875, -1.2001953125, -1.0, -0.5, 1.400390625, 0.7998046875, 0.199951171875, 0.39990234375, 0.39990234375, -1.5, 0.89990234375, 0.60009765625, -1.099609375, 1.0, 1.0], dtype=torch.float16).as_strided([1, 64, 1], [64, 1, 1], 1).detach().requires_grad_()
    x1 = _fill("dyadic", 10475, 1025, torch.float16).as_strided([1025, 1], [1, 1025], 0)
    x2 = torch.tensor([[-1.3984375, -0.8984375, 0.69921875, 0.30078125, 0.30078125, 0.8984375, 1.3984375, -0.30078125, 0.30078125, 1.5, -0.6015625, 1.3984375, 0.2001953125, -0.5, 0.8984375, 0.6015625, 1.203125, 0.80078125, 1.5, -0.5, -0.5, -0.10009765625, 1.6015625, 1.6015625, -0.2001953125, 1.6015625, 0.30078125, -1.203125, 1.1015625, -0.400390625, 1.296875, -1.6015625, -1.3984375, 0.80078125, 0.400390625, 1.0, 1.296875, -1.3984375, 1.1015625, 0.6015625, 0.400390625, -1.1015625, 0.0, -1.5, -1.203125, -0.30078125, 0.6015625, -0.30078125, 0.0, 1.3984375, -0.30078125, -0.2001953125, -0.30078125, 0.10009765625, -1.1015625, -1.203125, -1.203125, -1.296875, 1.6015625, -1.1015625, 0.5, -0.30078125, 0.0, 1.6015625], [1.0, 1.1015625, 0.69921875, -0.10009765625, -0.2001953125, 0.10009765625, 0.2001953125, -0.2001953125, 0.30078125, -1.0, -0.6015625, 1.203125, 1.5, -1.0, -1.5, -1.6015625, -1.6015625, -0.6015625, -0.8984375, -1.1015625, -0.400390625, 0.400390625, 0.2001953125, 0.400390625, -1.3984375, 0.400390625, 1.0, 0.2001953125, -0.10009765625, -1.3984375, 0.30078125, -0.5, 1.0, 1.3984375, 0.0, 1.3984375, 1.5, 0.69921875, -0.10009765625, 0.6015625, 0.400390625, 1.1015625, -1.0, 0.0, -0.6015625, 1.3984375, 0.400390625, 0.80078125, -1.0, 0.69921875, -1.6015625, -0.5, -1.296875, -0.69921875, -0.6015625, -0.5, 1.1015625, 1.203125, 1.1015625, 0.0, -0.5, 0.80078125, 1.203125, 0.0]], dtype=torch.bfloat16).requires_grad_()
    x3 = _fill("uniform", 12, 8192, torch.float16).reshape([2, 64, 64]).requires_grad_()
    v2 = torch.tensor([[0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0, -0.875, 0.875, 2.0, 1.0, -1.875, 1.375, -1.625, 0.875, 1.0, 1.5, 0.0, -1.0, 1.875, 0.125, -1.875, -1.25, 0.0, 1.625, 1.375, 1.625, 1.625, -0.5, -0.625, 0.375, -1.75, 1.375, 1.5, 0.5, 0.375, -1.875, 1.75, 1.25, 0.5, -0.625, 0.25, 0.5, 1.125, 1.75, -1.75, -1.125, -0.125, -1.0, 1.5, 1.625, -0.5, 0.125, 1.25, 2.0]], dtype=torch.float16).requires_grad_()
    r = f(x0, x1, x2, x3, v2)
    v6, v7, v8, v4, v2, = r
    with torch.no_grad():
        v7.copy_(x3)
    v9, v10, v11 = torch.autograd.grad([v8], [x0, v7, v8], grad_outputs=[v8], retain_graph=True, allow_unused=True)
    if v9 is None: del v9
    if v10 is None: del v10
    if v11 is None: del v11
    x3.zero_()
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
