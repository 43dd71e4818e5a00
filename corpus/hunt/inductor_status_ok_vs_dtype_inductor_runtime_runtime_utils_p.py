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


def _py_unbacked(function, *args):
    known, sized = {}, []
    for a in args:
        if a.dim():
            if a.shape[0] not in known:
                n = torch.ones(a.shape[0], dtype=torch.int64).sum().item()
                torch._check(n >= 0)
                torch._check(n <= a.shape[0])
                known[a.shape[0]] = n
            a = a.narrow(0, 0, known[a.shape[0]])
        sized.append(a)
    return function(*sized)


def f(x0, x1, x2, x3, x4, x5):
    v1 = torch.repeat_interleave(x2)
    v2 = x0.mT
    v3 = v2.mT
    v4 = v3.mT
    v5 = v4.cumsum(0)
    def _py_block(x0, v5):
        v6 = v5.rot90(k=3, dims=[-1, 0])
        v7 = torch.arange(65, dtype=torch.float32)
        v8 = x0.minimum(v7)
        return (v6, v7, v8,)
    [v6, v7, v8] = _py_unbacked(_py_block, x0, v5, )
    v8.clamp_max_(4)
    v9 = v4.mT
    v10, v11, v12, v13 = torch.embedding_bag(v9, x3, x4, scale_grad_by_freq=True, mode=1, include_last_offset=False)
    v14 = torch.repeat_interleave(x3)
    v15 = torch.tensor([], dtype=torch.int64).reshape([0]).clone()
    v16 = v11.scatter(0, v15, x3, reduce='multiply')
    v17 = v2.mT
    return v14, v12, v16, v13, v10, v6, v1

def run(f):
    x0 = _fill("dyadic", 94816, 4225, torch.float32).as_strided([65, 65], [1, 65], 0).detach()
    x1 = x0.detach().as_strided([65, 20], [1, 65], 2925).detach()
    x2 = torch.tensor([1, 0, 1])
    x3 = torch.zeros([0], dtype=torch.int64)
    x4 = torch.tensor([0, 0, 0, 0], dtype=torch.int32)
    x5 = torch.tensor(1.0)
    r = f(x0, x1, x2, x3, x4, x5)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
