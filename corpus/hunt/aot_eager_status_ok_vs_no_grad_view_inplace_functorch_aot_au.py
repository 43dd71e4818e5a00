import torch

import copy
import functools
class _PyObject:
    pass
_py_object = _PyObject()
class _PyProperty:
    @property
    def value(self):
        return self.held
    @value.setter
    def value(self, value):
        self.held = value
class _PyError(Exception):
    pass
def _py_disabled(function):
    return function()
if hasattr(torch, "_dynamo"):
    _py_disabled = torch._dynamo.disable(_py_disabled)


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = copy.copy([x0.bitwise_xor(x3)])[0]
    v2 = functools.reduce(lambda _py_a, _py_b: _py_b, [None, x0.bitwise_xor(x3)])
    v3 = next(_py_v for _py_v in (x3.rsqrt(),))
    v4, v5 = _py_disabled(lambda: torch._foreach_sub([v2, x0], [x4, x3]))
    v6, v7 = torch._foreach_sub([v2, x0], [x4, x3], alpha=1)
    v8, v9 = (lambda *_py_a, **_py_k: _py_a[0])(torch._foreach_sub([v6, x3], [v4, x5], alpha=0), 1, a=2)
    setattr(_py_object, "value", x2.tensor_split([0], dim=1))
    v10, v11 = _py_object.value
    v12 = (lambda *_py_a, **_py_k: _py_a[0])(v11.rsqrt(), 1, a=2)
    _py_i = 0
    while True:
        _py_i += 1
        if _py_i < 3:
            continue
        v13 = v11.rsqrt()
        break
    v14 = x2.narrow(0, 3, 0)
    try:
        raise _PyError(v14.rsqrt_())
    except _PyError as _py_e:
        v15 = _py_e.args[0]
    def _py_f():
        yield None
        yield torch._foreach_sub([v13, v10, v10], [x7, v10, x8], alpha=0.5)
    _py_x = _py_f()
    next(_py_x)
    v16, v17, v18 = next(_py_x)
    _py_x = _PyProperty()
    _py_x.value = torch._foreach_sub([v13, v10, v10], [x7, v10, x8], alpha=0.5)
    v19, v20, v21 = _py_x.value
    return v1, v2, v4, v6, v12, v13, v16, v19

def run(f):
    x0 = torch.tensor(5, dtype=torch.int16)
    x1 = torch.tensor([1, -6, 12, 16, 6, -7, -15, 4, 13], dtype=torch.int16).as_strided([3, 3], [3, 1], 0)
    x2 = torch.zeros([3, 0, 3, 3], dtype=torch.float64).requires_grad_()
    x3 = torch.tensor(2, dtype=torch.int16)
    x4 = torch.tensor(-65536, dtype=torch.int32)
    x5 = torch.tensor(1.3671875, dtype=torch.bfloat16).requires_grad_()
    x6 = torch.tensor([2])
    x7 = torch.tensor([0.7998046875, -0.39990234375, 1.599609375], dtype=torch.float16).as_strided([1], [1], 2).detach().requires_grad_()
    x8 = torch.tensor([0.125]).as_strided([1, 1, 1, 1], [1, 1, 1, 1], 0).detach().requires_grad_()
    with torch.no_grad():
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
