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


def f(x0, x1, x2, x3, x4):
    torch.sub(x1, x1, out=x1)
    def _py_block(x0, x1):
        v1 = torch.randint_like(x1, 1, 5)
        v2 = v1.expand([-1, -1, x0.size(1), 1])
        v3 = torch.tensor([1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=torch.int64).reshape([8, 4, 4, 1]).clone()
        v4 = v2.scatter_reduce(2, v3, v3, 'mean', include_self=False)
        return (v1, v2, v3, v4,)
    [v1, v2, v3, v4] = torch.utils.checkpoint.checkpoint(_py_block, x0, x1, use_reentrant=False)
    v5 = v2.index_add(0, x2, x3)
    v6, v7 = torch.ops.aten.max_pool2d_with_indices.default(v5, [2, 1], padding=[0], dilation=[1, 2], ceil_mode=True)
    v8 = v7.amax(dim=2, keepdim=True)
    v9 = v8.clamp_min(v8)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v10 = torch.repeat_interleave(x4)
    v11 = v9.squeeze(0)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v12 = x4.angle()
    return v11, v6, v12, v10, v4

def run(f):
    x0 = _fill("decimal", 52764, 6504, torch.float32).as_strided([65, 100], [100, 1], 4).detach().requires_grad_()
    x1 = _fill("uniform", 93573, 3200, torch.int64).reshape([8, 4, 100, 1])
    x2 = torch.tensor([5, 3, 3])
    x3 = _fill("decimal", 29383, 1200, torch.int64).as_strided([3, 4, 100, 1], [400, 1, 4, 4], 0)
    x4 = torch.tensor([3, 0, 0])
    torch.manual_seed(44545)
    r = f(x0, x1, x2, x3, x4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
