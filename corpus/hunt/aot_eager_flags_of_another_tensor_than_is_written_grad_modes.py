import torch

def _py_disable(function, *args):
    return torch.compiler.disable(function)(*args)


def f(x0, x1, x2):
    x2[()] = x1
    v0, v1 = x0.topk(1)
    v2, v3 = x0.topk(1)
    def _py_block():
        pass
        return ()
    [] = _py_disable(_py_block, )
    v2[()] = x1
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([])
    r = [f(x0, x1, x2)]
    return r[0].requires_grad

compiled = torch.compile(f, backend="aot_eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
