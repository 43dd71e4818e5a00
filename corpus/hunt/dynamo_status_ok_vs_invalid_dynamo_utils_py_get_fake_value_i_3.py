import torch

class _PyModes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
    def forward(self, function, *args):
        if self.training:
            self.seen.add_(1)
        results = function(*args)
        return [r * self.seen.clone() if r.is_floating_point() else r for r in results]
_py_modes = _PyModes()
def _py_module_modes(function, *args):
    _py_modes.seen.zero_()
    first, second = _py_modes.train()(function, *args), _py_modes.eval()(function, *args)
    return [b + a if a.is_floating_point() else a for a, b in zip(first, second)]


def f(x0, x1, x2, x3):
    def _py_block(x0, x1, x2, x3):
        v0 = torch.ops.aten.batch_norm.default(x0, None, x1, x2, x3, True, 0.5, 0.125, True)
        return (v0,)
    [v0] = _py_module_modes(_py_block, x0, x1, x2, x3, )
    return None

def run(f):
    x0 = torch.tensor([[0.625]], dtype=torch.float16).requires_grad_()
    x1 = torch.ones([1], dtype=torch.float16).as_strided([1], [1], 0)
    x2 = torch.tensor([0.5], dtype=torch.float16)
    x3 = torch.tensor([3.0], dtype=torch.float16)
    r = f(x0, x1, x2, x3)
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
