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
    p0 = g0.mul(2)
    return p0

def f(x0, x1, x2):
    v1 = torch.ops.aten.avg_pool3d.default(x2, [1], padding=[0], count_include_pad=False)
    v2 = torch.ops.aten.margin_ranking_loss.default(v1, x2, v1, margin=0.5, reduction=1)
    v3 = torch.ops.aten.margin_ranking_loss.default(v2, v2, v2, margin=0.5, reduction=2)
    v1.retain_grad()
    v4 = x2.sum([3])
    v4.retain_grad()
    _hook0_v2 = v2.register_hook(_fn_h0)
    v5 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v4[..., :2, v5] = 0.0
    v6 = torch.bucketize(0.125, v5)
    v7 = v3.logcumsumexp(0)
    v8 = torch.tril_indices(65, 65)
    v9 = v4.sum([0])
    x1.is_leaf
    x1._version
    return v7

def run(f):
    x0 = torch.tensor([0.7091754492658184, -0.18425016006967976, 0.9617804219675969, -1.9642887038965249, 0.24871112573608922, -1.0688914646476397, -0.0776910418686283, 0.34958225128581333], dtype=torch.float64).requires_grad_()
    x1 = _fill("uniform", 19986, 4160, torch.float64).as_strided([65, 64], [64, 1], 0)
    x2 = torch.tensor([[[[-0.9040984167286772]]], [[[-1.2416506103088252]]], [[[-0.41554330176226983]]]], dtype=torch.float64).requires_grad_()
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.tensor(-1.875, dtype=torch.float64)])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
