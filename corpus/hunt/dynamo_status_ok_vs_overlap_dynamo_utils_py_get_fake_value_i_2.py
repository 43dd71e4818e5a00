import torch

def _py_vmap(function, *args):
    if not args:
        return function()
    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]
    return [r[1] for r in torch.func.vmap(function)(*pairs)]


def f(x0, x1, x2):
    def _py_block():
        pass
        return ()
    [] = _py_vmap(_py_block, )
    x1.addmv_(x0, x2)
    return None

def run(f):
    x0 = torch.zeros([2, 1])
    x1 = torch.zeros([1]).as_strided([2], [0], 0)
    x2 = torch.zeros([1])
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
