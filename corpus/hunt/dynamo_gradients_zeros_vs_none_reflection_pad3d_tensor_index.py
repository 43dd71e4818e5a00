import torch

import torch.utils.checkpoint


def f(x0, x1, x2, x3):
    v0 = torch.ops.aten.reflection_pad3d.default(x1, [1, 0, 0, 0, 0, 0])
    def _py_block(x0, x1, x2, x3):
        v1 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
        v2 = x1.index_add(1, v1, x2)
        v3 = x0.addr(x3, x3)
        return (v1, v2, v3,)
    [v1, v2, v3] = torch.utils.checkpoint.checkpoint(_py_block, x0, x1, x2, x3, use_reentrant=True)
    return v3

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([1, 1, 1, 2]).requires_grad_()
    x2 = torch.zeros([1, 2, 1, 2])
    x3 = torch.zeros([1])
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1])])
    return x1.grad

compiled = torch.compile(f, backend="eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
