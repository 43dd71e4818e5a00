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
    v1 = torch.ops.aten.selu.default(x0)
    v2 = v1.exp2()
    v3 = torch.ops.aten.upsample_nearest1d.default(v2, [5])
    v4 = x1.exp2()
    v5 = torch.ops.aten.reflection_pad2d.default(v2, [0, 0, 2, 1])
    v6 = torch.ops.aten.cartesian_prod.default([x3])
    v7 = torch.ops.aten.selu.default(x3)
    v13, v14, v15, v16 = torch.embedding_bag(x4, x5, x6, scale_grad_by_freq=False, mode=0, include_last_offset=False)
    return v15

def run(f):
    x0 = _fill("special", 98571, 1023, torch.float32).as_strided([8, 64, 1], [128, 2, 1], 0).detach()
    x1 = torch.tensor([2.0, 1.375, 0.75, 0.875, 1.875, 2.0, 0.875, 0.75, -0.75, 1.875, 0.25, 0.625, 2.0, -0.625, 0.75, -1.0, 0.875, -1.25, -0.25, -0.625, 1.625, -1.25, -1.125, -0.625, 1.375, -0.125, 1.0, -1.5, -1.0, -1.375, 1.5, 0.625, -1.25, 1.75, -0.625, 0.875, 0.75, 0.875, 1.25, 1.375, 0.75, -0.625, 1.0, 1.875, -0.75, -0.25, -1.0, 1.5, -1.875, 0.875, -0.5, 2.0, 0.75, 0.0, 1.125, 0.75, 0.75, 1.625, -0.875, 0.75, 0.875, 1.25, 1.75, 0.875])
    x2 = torch.tensor([-1.25, 1.625, -1.5, 0.125, -2.0, 0.25, 0.125, 0.5]).requires_grad_()
    x3 = torch.tensor([-1.4995375871658325, -1.0297526121139526, -0.6683205962181091, 1.6967875957489014, 0.1705116331577301, -1.5287672281265259, 0.3225157558917999, 0.6584327220916748, -0.9233046770095825, -1.8210169076919556, 1.3579965829849243, 1.146282434463501, 0.24350324273109436, -0.6717139482498169, 0.5580685138702393, -0.8500016331672668, -0.8570690751075745, 0.7351753115653992, -0.6349489688873291, -1.9318318367004395, 1.7115041017532349, 0.08683104813098907, 0.2090425193309784, -1.2768778800964355, -0.1637422740459442, -0.8192409873008728, -1.642844319343567, -0.17615574598312378, -1.1112216711044312, -0.4661296308040619, 1.2230831384658813, -0.5987354516983032, 0.17229464650154114, -0.6936556100845337, -1.202075719833374]).as_strided([32], [1], 3).detach().requires_grad_()
    x4 = torch.tensor([3.4028234663852886e+38, -1.0, float('nan'), 0.0, float('nan'), 0.0, 1.0, -0.0, 1.1754943508222875e-38, 1.0, 1.0, 0.5, 1.1754943508222875e-38, 1.1754943508222875e-38, 0.0, 1.1920928955078125e-07, 1.1920928955078125e-07, -0.0, -2.0, -2.0, float('inf'), 1.0, 1.1754943508222875e-38, -0.0, -2.0, 1.0, 1.0, 0.5, 1.0, 1.1920928955078125e-07, float('-inf'), 1.1920928955078125e-07, 1.1920928955078125e-07, 1.0, 1.1754943508222875e-38, 3.4028234663852886e+38, 0.5, 1.1920928955078125e-07, float('nan'), -1.0, 1.0, -0.0, 1.0, float('inf'), -1.0, -1.0, 3.4028234663852886e+38, -2.0, 1.1920928955078125e-07, float('inf'), float('nan'), 0.5, float('-inf'), 0.0, 0.0, 1.1920928955078125e-07, 1.1920928955078125e-07, 1.0, 0.5, 1.1920928955078125e-07, 3.4028234663852886e+38, -1.0, -0.0, float('nan'), float('inf')]).as_strided([32, 2], [2, 1], 1).detach()
    x5 = torch.zeros([0], dtype=torch.int64)
    x6 = torch.tensor([0, 0, 0, 0])
    r = [f(x0, x1, x2, x3, x4, x5, x6)]
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
