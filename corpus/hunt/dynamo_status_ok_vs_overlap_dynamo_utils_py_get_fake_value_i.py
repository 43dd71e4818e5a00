import torch

class _PyBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(16):
            self.register_buffer("b%d" % i, torch.zeros(()))
    def forward(self, function, count):
        return function(*[getattr(self, "b%d" % i) for i in range(count)])
_py_block_module = _PyBlock()
def _py_functional_call(function, *args):
    held = {"b%d" % i: a for i, a in enumerate(args)}
    return torch.func.functional_call(_py_block_module, held, (function, len(args)))


def f(x0, x1):
    def _py_block():
        pass
        return ()
    [] = _py_functional_call(_py_block, )
    v0 = torch.prod(x0, 1, out=x1)
    return v0

def run(f):
    x0 = torch.zeros([2, 1], dtype=torch.int64)
    x1 = torch.zeros([1]).as_strided([2], [0], 0)
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
