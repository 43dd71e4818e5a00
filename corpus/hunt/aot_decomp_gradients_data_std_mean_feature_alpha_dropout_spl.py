import torch

import collections
import contextlib
_PyPair = collections.namedtuple("_PyPair", "first second")
@contextlib.contextmanager
def _py_managed():
    held = []
    yield held


def f(x0, x1, x2):
    _py_x = _py_y = torch.std_mean(x0)
    _py_z = [_py_x]
    v1, v2 = _py_y if _py_z[0] is _py_y else None
    with _py_managed() as _py_x:
        _py_x.append(torch.feature_alpha_dropout(x1, 0.5, True))
    v3 = _py_x[0]
    (v4,) = x1.split_with_sizes([3], dim=-1)
    def _py_f():
        yield None
        yield torch.layer_norm(v3, [3], weight=x2, bias=x2, eps=0.001)
    _py_x = _py_f()
    next(_py_x)
    v5 = next(_py_x)
    _py_x = _PyPair(v3.split_with_sizes([4]), 0)
    (v6,) = _py_x.first
    v7 = torch.feature_alpha_dropout(v6, 1.0, True)
    (_py_x := v6.permute([-2, 1]))
    v8 = _py_x
    del _py_x
    v9, v10, v11 = v8.split_with_sizes([0, 3, 0], dim=-1)
    return v10, v11, v9, v7, v5, v2, v1

def run(f):
    x0 = torch.tensor(-0.25, dtype=torch.float16).requires_grad_()
    x1 = torch.tensor([0.375, 0.375, -0.75, -0.125, 1.0, -0.25, -0.25, 0.125, 1.125, -1.625, 0.875, -1.0, -0.75, -1.375, -0.75], dtype=torch.float16).as_strided([4, 3], [3, 1], 3).detach().requires_grad_()
    x2 = torch.tensor([-1.75, 1.75, 1.75], dtype=torch.float16).as_strided([3], [1], 0)
    torch.manual_seed(94762)
    r = f(x0, x1, x2)
    torch.autograd.backward([r[0], r[1], r[2], r[3], r[4], r[5], r[6]], [torch.tensor([[0.25, 1.75, -0.5], [-0.875, -2.0, 1.0], [0.75, -1.75, -0.5], [-1.75, -0.625, -1.5]], dtype=torch.float16), torch.zeros([4, 0], dtype=torch.float16), torch.zeros([4, 0], dtype=torch.float16), torch.tensor([[-0.75, -1.5, 0.125], [-1.125, 0.625, -0.75], [-1.375, 1.75, 0.25], [-1.625, -0.375, 1.375]], dtype=torch.float16), torch.tensor([[0.75, -1.0, -1.875], [-1.25, 0.5, -1.25], [1.75, 0.0, -1.5], [0.5, -0.625, 2.0]], dtype=torch.float16), torch.tensor(1.375, dtype=torch.float16), torch.tensor(-1.375, dtype=torch.float16)])
    return x1.grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
