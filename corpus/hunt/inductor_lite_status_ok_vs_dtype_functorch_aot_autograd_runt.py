import torch
torch._inductor.config.fallback_random = True

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


def _py_disable(function, *args):
    return torch.compiler.disable(function)(*args)


def f(x0, x1, x2, x3):
    def _py_block(x0):
        v1 = torch.arange(9, dtype=torch.float32)
        v2 = x0.pow(v1)
        return (v1, v2,)
    [v1, v2] = _py_disable(_py_block, x0, )
    v3 = x1.masked_fill(x2, 1.5)
    v4 = x1.any()
    v5 = torch.dropout(v4, 1.0, True)
    v6 = torch.tensor([22, 43], dtype=torch.int32).reshape([2]).clone()
    v7 = v3.index_add(-2, v6, x3, alpha=0.5)
    return x3, v7, v5, v2

def run(f):
    torch.manual_seed(1625)
    x0 = torch.tensor([[0.5558136105537415, -1.9976106882095337, 1.2734016180038452, 0.7366518378257751, -1.3389151096343994, 1.7469911575317383, 0.7292762994766235, -0.6770481467247009, 0.6737637519836426], [0.3286639451980591, 1.9230451583862305, 1.8294193744659424, 1.7779674530029297, 0.6724205613136292, 0.5388424396514893, -1.838101863861084, -1.4087879657745361, -0.17354092001914978], [-0.1269712746143341, -1.4314476251602173, -1.0071569681167603, -0.46493980288505554, -0.05079307779669762, 1.463818907737732, 1.3500699996948242, -0.3504315912723541, -1.4191490411758423], [-0.5577769875526428, -0.46347081661224365, 1.932767391204834, 1.8353811502456665, -1.1201646327972412, 1.7526792287826538, 0.9500228762626648, 0.012412965297698975, -0.8663909435272217], [1.9638348817825317, -0.7961382865905762, 1.2030773162841797, -1.4243297576904297, 1.8192691802978516, -0.3742409944534302, -1.09791898727417, 1.3172504901885986, 1.8563780784606934], [1.1212453842163086, 0.060302600264549255, 1.5463446378707886, 1.2544457912445068, 1.039637804031372, -0.7760226726531982, -0.22309119999408722, 1.9536025524139404, -0.5824000239372253], [1.4964513778686523, -1.0114351511001587, -1.0388693809509277, -1.4718704223632812, -0.1022174060344696, 1.2436466217041016, -0.0764438584446907, 1.231114149093628, -0.11361321806907654]]).requires_grad_()
    x1 = torch.tensor([1.875, 0.5, 0.75, -0.125, 0.25, -1.25, 1.875, -1.25, 1.375, 1.375, -1.75, -0.5, 0.5, 0.5, 1.625, -0.375, -1.125, -1.75, 0.5, -1.125, -1.625, 0.375, 1.0, 1.625, -1.125, -1.5, -0.5, 0.0, -1.375, 0.25, 0.375, 0.75, 1.375, -0.625, 0.25, -0.5, 0.375, 1.625, 0.75, 1.25, 1.875, 0.625, 0.75, -0.625, -1.25, 0.375, 0.75, 0.0, 0.75, 0.5, -1.875, -1.375, 0.0, -1.625, -0.625, -1.875, 1.375, -1.875, 0.0, -0.625, 2.0, 1.75, 1.625]).as_strided([63, 7], [1, 0], 0).detach().requires_grad_()
    x2 = _fill("uniform", 39177, 441, torch.bool).reshape([63, 7])
    x3 = torch.tensor([[1.875, 0.625, -1.625, 0.0, -0.375, -1.125, 0.375], [-1.125, -1.875, 1.875, -1.625, 0.5, 1.625, 1.875]]).requires_grad_()
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
