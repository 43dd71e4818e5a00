import torch

def f(x0, x1, x2, x3):
    x1.mul_(x3)
    x1.mul_(x3)
    v1 = torch.vstack([x0])
    v2 = torch.vstack([x0])
    v3 = v1.movedim([0], [1])
    return x1, v1, v2

def run(f):
    x0 = torch.tensor([1.2159361654394418, 0.4034771928952683, 0.014915277886646816], dtype=torch.float64).as_strided([1, 1], [1, 1], 2)
    x1 = torch.tensor([0.2617448059769507, 0.5127030104645987, 1.4948094787333082, 0.5726034676522849, -0.11958014434199882, -0.9172501663503083, -1.7292043371369767, 1.3901026523786784, 1.6429715611077937, -0.10222429781016906, -0.70687235683133, 0.2156774780423829, -1.7716632588965315, -1.6536798207639358, -1.7282707104424975, -1.5101394543361693, -0.7652358828184993, -0.865830031272198, 1.8142060750189781, -0.5542784373635272, 1.2225394014475128, -1.6991925967286434, 1.4928639191186388, -1.8500991299049279, -0.9117853161376948, -0.6354060723338053, 1.0319048821368462, 1.2329901887064154, 0.3871260166939021, 1.8582943543546149, -1.863225917649166, 0.6901126379446443, 1.3689368216162272], dtype=torch.float64)
    x2 = torch.tensor([False, False, True, False, False, False, False, True, True, False, False, False, False, False, False, False, False, False, True, False, False, True, True, False, True, False, True, False, False, False, False, False, True, False, True, True, True, False, False, True, False, False, False, True, False, True, False, False, True, False, False, True, True, False, True, False, True, True, True, True, True, False, True, False, False, False, True, False, True, False, False, True, False, False, True, False, True, True, False, True, False, False, True, True, True, True, True, True, False, True, False, False, True, False, True, False, True, True, False, True, True, False, False, True, False, False, True, True, True, False, False, False, True, False, True, False, True, False, True, False, False, True, False, True, False, True, False, False, False]).as_strided([65], [2], 0)
    x3 = torch.tensor(-0.625, dtype=torch.float64).requires_grad_()
    r = f(x0, x1, x2, x3)
    x1, v1, v2, = r
    v4 = torch.arange(0, 1, dtype=None)
    v5 = torch.remainder(v1, x0, out=v2)
    torch.remainder(v1, x0, out=v2)
    with torch.no_grad():
        v6 = v2.add_(v4)
    torch.autograd.backward([r[0]], [torch.tensor([0.625, 1.5, 0.875, -0.75, -0.25, 0.5, 1.625, 0.625, 0.5, -0.375, -1.875, 0.375, 0.375, -2.0, -0.125, 0.125, -0.625, 1.0, 0.375, -1.75, -1.125, 0.625, 0.375, -1.625, 0.375, 1.375, -2.0, -1.75, -1.5, 0.25, -1.0, 0.0, -1.25], dtype=torch.float64)])
    x0 = torch.tensor([1.2159361654394418, 0.4034771928952683, 0.014915277886646816], dtype=torch.float64).as_strided([1, 1], [1, 1], 2)
    x1 = torch.tensor([0.2617448059769507, 0.5127030104645987, 1.4948094787333082, 0.5726034676522849, -0.11958014434199882, -0.9172501663503083, -1.7292043371369767, 1.3901026523786784, 1.6429715611077937, -0.10222429781016906, -0.70687235683133, 0.2156774780423829, -1.7716632588965315, -1.6536798207639358, -1.7282707104424975, -1.5101394543361693, -0.7652358828184993, -0.865830031272198, 1.8142060750189781, -0.5542784373635272, 1.2225394014475128, -1.6991925967286434, 1.4928639191186388, -1.8500991299049279, -0.9117853161376948, -0.6354060723338053, 1.0319048821368462, 1.2329901887064154, 0.3871260166939021, 1.8582943543546149, -1.863225917649166, 0.6901126379446443, 1.3689368216162272], dtype=torch.float64).as_strided([33], [1], 0).detach()
    x2 = torch.tensor([False, False, True, False, False, False, False, True, True, False, False, False, False, False, False, False, False, False, True, False, False, True, True, False, True, False, True, False, False, False, False, False, True, False, True, True, True, False, False, True, False, False, False, True, False, True, False, False, True, False, False, True, True, False, True, False, True, True, True, True, True, False, True, False, False, False, True, False, True, False, False, True, False, False, True, False, True, True, False, True, False, False, True, True, True, True, True, True, False, True, False, False, True, False, True, False, True, True, False, True, True, False, False, True, False, False, True, True, True, False, False, False, True, False, True, False, True, False, True, False, False, True, False, True, False, True, False, False, False]).as_strided([65], [2], 0)
    x3 = x1.detach().as_strided([], [], 0).detach().requires_grad_()
    r = f(x0, x1, x2, x3)
    x1, v1, v2, = r
    v4 = torch.arange(0, 1, dtype=None)
    v5 = torch.remainder(v1, x0, out=v2)
    torch.remainder(v1, x0, out=v2)
    with torch.no_grad():
        v6 = v2.add_(v4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
