import torch

def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_weighed(gradients):
    total = 0
    for g in gradients:
        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()
    return total
def _py_plus(results, number):
    return [r + number if r.is_floating_point() else r for r in results]
def _py_scalar(function, where):
    def scalar(*args):
        results, total = function(*args), args[where[0]].sum() * 0
        for r in results:
            total = total + r.sum() if r.is_floating_point() else total
        return total, tuple(results)
    return torch.func.grad_and_value(scalar, argnums=tuple(where), has_aux=True)
def _py_per_sample_grad(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]
    gradients, (_, results) = torch.func.vmap(_py_scalar(function, where))(*pairs)
    return _py_plus([r[1] for r in results], _py_weighed([g[1] for g in gradients]))


def f(x0):
    def _py_block(x0):
        v0 = torch.ops.aten.upsample_nearest2d.default(x0, [3, 1])
        return (v0,)
    [v0] = _py_per_sample_grad(_py_block, x0, )
    return v0

def run(f):
    x0 = torch.zeros([4]).as_strided([1, 2, 1, 2], [4, 1, 4, 2], 0)
    r = [f(x0)]
    return (r[0].dtype, r[0].size(), r[0].stride())

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
