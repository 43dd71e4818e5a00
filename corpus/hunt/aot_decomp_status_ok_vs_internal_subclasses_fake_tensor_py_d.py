import torch

def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_conjugate(function, *args):
    return _py_real(function(*[torch.complex(a, a + a).conj() if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def f(x2, x4):
    def _py_block(x2):
        v3 = torch.stack([x2])
        return (v3,)
    [v3] = _py_conjugate(_py_block, x2, )
    v6 = v3.hypot(x4)
    v3.retain_grad()
    return None

def run(f):
    x2 = torch.zeros([0]).requires_grad_()
    x4 = torch.zeros([1, 1, 1, 0], dtype=torch.int64)
    r = f(x2, x4)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
