import torch

def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_conjugate(function, *args):
    return _py_real(function(*[torch.complex(a, a + a).conj() if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def f(x0, x1, x2, x3, v9, v8, v7, v6, v4):
    v1 = x1.negative_()
    v2 = v1.add(0, alpha=2)
    v3 = torch.tensor([0], dtype=torch.int64).reshape([1]).clone()
    v5 = x1.index_select(-1, x2)
    def _py_block(v8):
        v10 = torch.zeros_like(v8, dtype=torch.float16)
        return (v10,)
    [v10] = _py_conjugate(_py_block, v8, )
    return v9, v10, v7, v5, v4, v2

def run(f):
    try:
        x0 = torch.tensor([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], [[9.0, 1e+01, 11.0], [12.0, 13.0, 14.0], [15.0, 16.0, 17.0]], [[18.0, 19.0, 2e+01], [21.0, 22.0, 23.0], [24.0, 25.0, 26.0]], [[27.0, 28.0, 29.0], [3e+01, 31.0, 32.0], [33.0, 34.0, 35.0]]], dtype=torch.bfloat16).requires_grad_()
        x1 = torch.tensor([[1.5, 1.3984375, 0.69921875, -1.5]], dtype=torch.bfloat16)
        x2 = torch.tensor([0, 3, 1, 0])
        x3 = torch.tensor(False)
        v9 = torch.zeros([0], dtype=torch.int64)
        v8 = torch.zeros([0], dtype=torch.int64)
        v7 = torch.tensor([4, 3, -16, 13])
        v6 = torch.tensor([4, 3, -16, 13])
        v4 = torch.tensor([[0.5, 0.375, -2.0, 1.625]], dtype=torch.bfloat16)
        r = f(x0, x1, x2, x3, v9, v8, v7, v6, v4)
    except Exception:
        pass
    x0 = torch.tensor([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]], [[9.0, 1e+01, 11.0], [12.0, 13.0, 14.0], [15.0, 16.0, 17.0]], [[18.0, 19.0, 2e+01], [21.0, 22.0, 23.0], [24.0, 25.0, 26.0]], [[27.0, 28.0, 29.0], [3e+01, 31.0, 32.0], [33.0, 34.0, 35.0]]], dtype=torch.bfloat16).requires_grad_()
    x1 = torch.tensor([[1.5, 1.3984375, 0.69921875, -1.5]], dtype=torch.bfloat16)
    x2 = torch.tensor([-1, 3, 1, 0])
    x3 = torch.tensor(False)
    v9 = torch.zeros([0], dtype=torch.int64)
    v8 = torch.zeros([0], dtype=torch.int64)
    v7 = torch.tensor([4, 3, -16, 13])
    v6 = torch.tensor([4, 3, -16, 13])
    v4 = torch.tensor([[0.5, 0.375, -2.0, 1.625]], dtype=torch.bfloat16)
    r = f(x0, x1, x2, x3, v9, v8, v7, v6, v4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
