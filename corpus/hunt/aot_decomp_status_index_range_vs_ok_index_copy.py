import torch

import functools
class _PyError(Exception):
    pass


def _fn_h0(g0):
    p0 = g0.neg()
    return p0

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = x2.abs()
    v2 = v1.add(2)
    v3 = v2.neg()
    _py_x = _py_y = v3.index_fill_(1, x3, x4)
    _py_z = [_py_x]
    v4 = _py_y if _py_z[0] is _py_y else None
    v5 = x4.atanh()
    v6 = functools.partial(lambda _py_a, _py_b: _py_b, None)(torch.ops.aten.permute_copy.default(v5, []))
    v7 = x5.roll(1)
    _hook0_v2 = v2.register_hook(_fn_h0)
    v8 = v4.index_copy_(1, x6, v2)
    v9 = v8.count_nonzero(dim=1)
    with torch.autocast("cpu", dtype=torch.float16):
        v10 = torch.nn.functional.gaussian_nll_loss(v9, x7, 0.5, reduction='none')
        _py_x = torch.nn.ModuleDict({"a": torch.nn.Identity()})
        v11 = _py_x["a"](torch.tensor([1, 1, 0, 3, 1], dtype=torch.int64).reshape([1, 5]).clone())
        v12 = v10.scatter_(1, v11, x8, reduce='multiply')
        with torch.no_grad():
            v13 = v10.triu()
            try:
                raise _PyError(torch.tensor([0, 0, 0, 0], dtype=torch.int64).reshape([2, 2]).clone())
            except _PyError as _py_e:
                v14 = _py_e.args[0]
            v15 = v11.take(v14)
            def _py_f():
                yield torch.ops.aten.linalg_diagonal.default(v12, offset=-2, dim1=1, dim2=0)
            def _py_g():
                yield from _py_f()
            v16 = list(_py_g())[0]
    return v7, v13, v16, v15, v6

def run(f):
    try:
        x0 = torch.tensor([1.25, -0.625, 1.25, 1.0], dtype=torch.float16).as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
        x1 = torch.tensor([[0.875]], dtype=torch.float16).requires_grad_()
        x2 = x0.detach().as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
        x3 = torch.tensor([0])
        x4 = torch.tensor(1.5, dtype=torch.float16).requires_grad_()
        x5 = torch.tensor(-13, dtype=torch.int32)
        x6 = torch.tensor([0])
        x7 = torch.tensor([9, 10, -2, 8]).as_strided([1, 4], [4, 1], 0)
        x8 = torch.tensor([-0.2908938229084015, -1.0238994359970093, 1.3355354070663452, 1.0388422012329102, -1.29219651222229, -0.37720420956611633]).as_strided([1, 5], [5, 1], 1)
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    except Exception:
        pass
    try:
        x0 = torch.tensor([1.25, -0.625, 1.25, 1.0], dtype=torch.float16).as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
        x1 = torch.tensor([[0.875]], dtype=torch.float16).requires_grad_()
        x2 = x0.detach().as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
        x3 = torch.tensor([0])
        x4 = torch.tensor(1.5, dtype=torch.float16)
        x5 = torch.tensor(-13, dtype=torch.int32)
        x6 = torch.tensor([0])
        x7 = torch.tensor([9, 10, -2, 8]).as_strided([1, 4], [4, 1], 0)
        x8 = torch.tensor([-0.2908938229084015, -1.0238994359970093, 1.3355354070663452, 1.0388422012329102, -1.29219651222229, -0.37720420956611633]).as_strided([1, 5], [5, 1], 1)
        r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    except Exception:
        pass
    x0 = torch.tensor([1.125, 1.75, 0.375, -0.75], dtype=torch.float16).as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
    x1 = torch.tensor([[-0.375]], dtype=torch.float16).requires_grad_()
    x2 = x0.detach().as_strided([1, 1, 4], [1, 1, 1], 0).detach().requires_grad_()
    x3 = torch.tensor([0])
    x4 = torch.tensor(-1.25, dtype=torch.float16)
    x5 = torch.tensor(-13, dtype=torch.int32)
    x6 = torch.tensor([-1])
    x7 = torch.tensor([9, 10, -2, 8]).as_strided([1, 4], [4, 1], 0)
    x8 = torch.tensor([0.9455409049987793, 0.6626657843589783, 0.7850897908210754, 1.4332643747329712, 0.057196568697690964, 1.4426971673965454]).as_strided([1, 5], [5, 1], 1)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
