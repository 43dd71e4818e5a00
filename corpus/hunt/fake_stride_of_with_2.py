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
def _py_jvp(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    floats = tuple(args[i] for i in where)
    results, tangents = torch.func.jvp(_py_of_floats(function, args, where), floats, floats)
    return [r + t if r.is_floating_point() else r for r, t in zip(results, tangents)]


def f(x0, x1, x2, x3, x4):
    v1 = x0.remainder(x0)
    def _py_block(x0, x1, v1, x2):
        v2 = torch.ops.aten.mse_loss.default(x0, v1, reduction=0)
        v3 = x1.kron(x2)
        v4 = v3.bitwise_or(0)
        return (v2, v3, v4,)
    [v2, v3, v4] = _py_jvp(_py_block, x0, x1, v1, x2, )
    v5 = x1.floor()
    return v5, v2, v2

def run(f):
    x0 = torch.tensor([-2.0, 0.875, -1.75, 0.25, 0.875, -1.25, 0.75, -1.0, -1.5, 1.75, -1.625, -0.375, -0.25, -0.625, -2.0, 1.125, -2.0, -0.875, -1.125, -0.25, 1.375, 1.625, 0.25, 1.875, -2.0, -0.375, -0.875], dtype=torch.float64).as_strided([3, 3, 3, 1], [9, 1, 3, 3], 0).detach().requires_grad_()
    x1 = torch.tensor([15], dtype=torch.int32).as_strided([1, 1], [1, 0], 0)
    x2 = torch.tensor([[-16, -4, -2]], dtype=torch.int32)
    x3 = torch.tensor([14], dtype=torch.int32).as_strided([1, 7], [1, 0], 0)
    x4 = torch.tensor([False]).as_strided([1, 3], [1, 0], 0)
    r = f(x0, x1, x2, x3, x4)
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
