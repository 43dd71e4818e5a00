import torch

import collections
import itertools
_PyPair = collections.namedtuple("_PyPair", "first second")
class _PyCall:
    def __init__(self, count):
        self.count = count
    def __call__(self, value):
        self.count += 1
        return value
class _PyError(Exception):
    pass
def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_complex(function, *args):
    return _py_real(function(*[torch.complex(a, a + a) if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def f(x0, x1, x2, x3):
    v1 = x0.abs()
    try:
        raise _PyError(v1.add(3))
    except _PyError as _py_e:
        v2 = _py_e.args[0]
    v3 = v2.neg()
    v4 = next(itertools.chain([], [v3.amax(dim=[1])]))
    v3.copy_(x1)
    v5 = torch.ops.aten.relu6_.default(x1)
    v6 = v2.index_add(1, x2, v1)
    v7 = v5.expand([-1, 5, -1])
    v8 = v7.amax(dim=[0])
    _py_none = _PyCall(1)(v7.fill_(0.25))
    _py_x, *_py_y, _py_z = 0, 1, 2, v8.expand([-1, 8])
    v9 = _py_z
    def _py_f(_py_n):
        return _py_f(_py_n - 1) if _py_n else v6.isneginf()
    v10 = _py_f(2)
    def _py_block(v10):
        v11 = v10.sum()
        return (v11,)
    [v11] = _py_complex(_py_block, v10, )
    def _py_f(_py_n):
        if _py_n > 1:
            return None
        return v5.select(0, 1)
    v12 = _py_f(1)
    _py_x = _PyPair(v8.index_add(0, x3, v12), 0)
    v13 = _py_x.first
    return v4, v8, v5

def run(f):
    x0 = torch.tensor([[[-1.25, -1.5, 1.125, -1.375, 1.5, 1.25, 1.0, 1.75], [-0.125, -0.25, 1.625, -0.625, -1.875, 0.0, -1.25, -0.25]], [[-1.0, 1.75, 1.0, 1.0, -1.875, 2.0, -1.375, 1.25], [-2.0, -0.375, 0.875, 2.0, -1.5, -0.625, -0.375, 1.5]]], dtype=torch.float64)
    x1 = torch.tensor([0.375, -1.25, -1.25, 1.125, -1.875, -1.0, -1.75, 0.125, 1.375, -0.5, 2.0, 0.25, 1.375, 1.75, -0.375, -0.75, -2.0], dtype=torch.float64).as_strided([2, 1, 8], [8, 16, 1], 1)
    x2 = torch.tensor([1, 0])
    x3 = torch.tensor([0], dtype=torch.int32)
    r = f(x0, x1, x2, x3)
    return r[2].detach()

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
