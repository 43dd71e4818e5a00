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
    p0 = g0.neg()
    return p0

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x2.abs()
    v2 = v1.add(3)
    v3 = v2.arctan2(x2)
    v4 = x1.select(0, -28)
    v5 = x1.select(-2, -28)
    v6 = v5.logit()
    v7 = v6.logical_or(x3)
    v8 = v6.logical_or(x3)
    (v9,) = x5.vsplit(1)
    v10 = v6.expand([1])
    v11 = v10.xlogy_(1e+39)
    v10.xlogy_(1e+39)
    _hook0_x4 = x4.register_hook(_fn_h0)
    v12 = torch.randint_like(x6, 1)
    return v4, v5, v7, v8, v11, v10

def run(f):
    torch.manual_seed(33377)
    x0 = torch.tensor([-0.4000000059604645, -0.20000000298023224, 0.0, 1.2999999523162842, 0.10000000149011612, 0.10000000149011612, -0.800000011920929, 0.30000001192092896, -0.6000000238418579, -1.5, -0.6000000238418579, -1.2000000476837158, -1.100000023841858, 0.20000000298023224, -1.2000000476837158, -1.100000023841858, 0.4000000059604645, 0.0, 0.10000000149011612, 0.4000000059604645, -0.20000000298023224, 1.5, 1.600000023841858, -0.6000000238418579, 1.600000023841858, 0.699999988079071, 1.5, -0.4000000059604645, -1.0, -0.8999999761581421, -1.100000023841858, -0.8999999761581421, 1.2999999523162842, -0.8999999761581421, -1.600000023841858]).as_strided([1, 31], [31, 1], 4).detach().requires_grad_()
    x1 = x0.detach().as_strided([31, 1], [1, 31], 4).detach()
    x2 = x0.detach().as_strided([1], [31], 22).detach().requires_grad_()
    x3 = torch.tensor([1.3926934003829956]).as_strided([1], [1], 0).detach().requires_grad_()
    x4 = torch.tensor([-0.7648168802261353, -0.1016063243150711, 1.5032635927200317, -1.4286073446273804, 1.163333773612976, -0.3994780480861664, 1.8756612539291382, 0.6399596929550171, -0.9914414286613464, 1.9889464378356934, -0.5250785946846008, 0.979962170124054, -0.8291581273078918, -1.5523674488067627, -0.5756837129592896, 0.8139234185218811, 1.2068535089492798, -0.24426694214344025, 1.7316614389419556, -0.39543643593788147, 0.8103967308998108, -1.1781755685806274, 0.40588071942329407, -1.1867386102676392, 1.63631010055542, 1.2789440155029297, 1.532522201538086, 1.3669649362564087, -0.580043375492096, 1.93230402469635, -0.6731962561607361, 0.547020673751831, 0.08231578767299652, 0.30580249428749084, -1.7049928903579712, 1.5736193656921387, -0.7030919194221497, -0.37694138288497925, -0.1424340158700943, 1.7622756958007812, 1.2330180406570435, 1.9347076416015625, -0.8499807715415955, -1.6188533306121826, -1.299400806427002, 1.8655734062194824, 1.3007664680480957, -1.2839566469192505, -1.885521650314331, 1.2989332675933838, -0.17733846604824066, 1.9511512517929077, 1.183524489402771, 0.7660675048828125, 1.14280104637146, 1.2864431142807007, -1.9335612058639526, -0.3530190587043762, -0.2618561089038849, 1.1464273929595947, -0.14001353085041046, -0.8923752903938293, 0.8455377221107483]).as_strided([31, 63, 1], [0, 1, 1], 0).detach().requires_grad_()
    x5 = _fill("decimal", 41886, 1953, torch.float32).reshape([31, 1, 63])
    x6 = torch.tensor([0.25, 1.625, -0.25])
    r = f(x0, x1, x2, x3, x4, x5, x6)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
