import torch

def _py_vmap_last_dim(function, *args):
    if not args:
        return function()
    pairs = [torch.stack([torch.zeros_like(a), a], -1) for a in args]
    results = torch.func.vmap(function, in_dims=-1, out_dims=-1)(*pairs)
    return [r[..., 1] for r in results]


def f(x0):
    def _py_block(x0):
        v0 = torch.bucketize(1, x0)
        return (v0,)
    [v0] = _py_vmap_last_dim(_py_block, x0, )
    return None

def run(f):
    x0 = torch.zeros([1])
    r = f(x0)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
