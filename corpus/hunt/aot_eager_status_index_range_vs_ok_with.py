import torch

def _py_vmap_last_dim(function, *args):
    if not args:
        return function()
    pairs = [torch.stack([torch.zeros_like(a), a], -1) for a in args]
    results = torch.func.vmap(function, in_dims=-1, out_dims=-1)(*pairs)
    return [r[..., 1] for r in results]


def f(x0, x1, x2):
    def _py_block(x0, x1, x2):
        v0 = x0.index_add(0, x1, x2)
        return (v0,)
    [v0] = _py_vmap_last_dim(_py_block, x0, x1, x2, )
    return None

def run(f):
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.zeros([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    x0 = torch.zeros([], dtype=torch.int64)
    x1 = torch.ones([], dtype=torch.int64)
    x2 = torch.zeros([], dtype=torch.int64)
    r = f(x0, x1, x2)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
