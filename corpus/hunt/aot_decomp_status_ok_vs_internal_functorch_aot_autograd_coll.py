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


def f(x0, x1):
    def _py_block(x0, x1):
        v0 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
        v1 = x0.index_fill(0, v0, x1)
        return (v0, v1,)
    [v0, v1] = _py_vjp(_py_block, x0, x1, )
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
