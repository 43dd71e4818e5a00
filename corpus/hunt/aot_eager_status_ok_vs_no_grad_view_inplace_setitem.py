import torch

def _py_vmap(function, *args):
    if not args:
        return function()
    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]
    return [r[1] for r in torch.func.vmap(function)(*pairs)]


def f(x0, x1):
    def _py_block(x0):
        v0 = x0.neg()
        return (v0,)
    [v0] = _py_vmap(_py_block, x0, )
    return v0

def run(f):
    x0 = torch.zeros([1], dtype=torch.int64)
    x1 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1)]
    v0, = r
    v0[()] = x1
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
