import torch

def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_of_floats(function, args, where):
    def inner(*floats):
        full = list(args)
        for i, a in zip(where, floats):
            full[i] = a
        return function(*full)
    return inner
def _py_weighed(gradients):
    total = 0
    for g in gradients:
        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()
    return total
def _py_plus(results, number):
    return [r + number if r.is_floating_point() else r for r in results]
def _py_vjp(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    def both(*floats):
        results = _py_of_floats(function, args, where)(*floats)
        return tuple(r for r in results if r.is_floating_point()), tuple(results)
    of, pull, results = torch.func.vjp(both, *[args[i] for i in where], has_aux=True)
    return _py_plus(results, _py_weighed(pull(tuple(torch.ones_like(r) for r in of))))


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    x1.sinc_()
    v1 = x0.var([1])
    v2 = x3.mT
    v1.erf_()
    v1.pow_(v1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        v3 = v1.cumsum(1)
        v4 = torch.ops.aten.gelu.default(v1, approximate='none')
        v5, v6 = v3.max(1)
    v7, v8, v9 = torch.autograd.grad([v2], [x3, x3, x3], grad_outputs=[x4], create_graph=True)
    v10 = torch.trapezoid(x4, dx=1.0, dim=2)
    def _py_block(v10, x5, x6, x8):
        v11 = v10.index_fill(1, x5, x6)
        v12 = torch.ops.aten.replication_pad3d.default(x8, [0, -1, 1, 1, 0, 0])
        return (v11, v12,)
    [v11, v12] = _py_vjp(_py_block, v10, x5, x6, x8, )
    v4.pow_(v1)
    return x7, v12, v11, v9, v8, v7, v6, v5

def run(f):
    x0 = torch.ones([2]).as_strided([2, 1, 1], [1, 1, 0], 0)
    x1 = torch.tensor([1.827907919883728, 1.1893895864486694])
    x2 = torch.tensor([[2.0], [1.25], [-0.75], [-0.75]])
    x3 = torch.tensor([[[0.375], [-1.0]], [[-1.625], [0.75]], [[0.0], [0.125]]]).requires_grad_()
    x4 = torch.tensor([[[-1.5, -0.75]], [[2.0, -0.625]], [[1.875, -1.375]]]).requires_grad_()
    x5 = torch.tensor([0, 0, 0])
    x6 = torch.tensor(-0.8078871369361877).requires_grad_()
    x7 = torch.tensor([[[[-0.4000000059604645, 0.4000000059604645, 0.8999999761581421], [-0.4000000059604645, -1.600000023841858, 0.5], [0.6000000238418579, 0.20000000298023224, -0.30000001192092896]]]]).requires_grad_()
    x8 = torch.tensor([-0.7597423791885376, 1.2442392110824585, 0.25933289527893066, 1.2619798183441162, -1.7635966539382935, -1.7063393592834473, -1.761512279510498, 1.4232027530670166, 1.638642430305481, -0.007151573430746794, 1.8186055421829224, 1.8789722919464111, 0.41932985186576843, -1.458950161933899, -0.7958242297172546, 1.9633744955062866, -0.3996999263763428, 1.2267345190048218]).as_strided([2, 1, 3, 3], [9, 1, 3, 1], 0)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
