import torch

def _py_real(results):
    return [r.real + r.imag if r.is_complex() else r for r in results]
def _py_conjugate(function, *args):
    return _py_real(function(*[torch.complex(a, a + a).conj() if a.dtype in (torch.float32, torch.float64) else a for a in args]))


def f(x0, x1):
    def _py_block():
        pass
        return ()
    [] = _py_conjugate(_py_block, )
    torch.sum(x1, 0, out=x0)
    return None

def run(f):
    x0 = torch.zeros([1]).as_strided([2], [0], 0)
    x1 = torch.zeros([1, 2])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
