import torch

import torch.utils.checkpoint


def f(x0, x1, x2, x3):
    def _py_block(x2, x3, x0, x1):
        v0 = torch.ops.aten.reflection_pad2d.default(x1, [0, 0, 0, 0])
        v1 = torch.ops.aten.block_diag.default([x0, x2, x3])
        return (v0, v1,)
    [v0, v1] = torch.utils.checkpoint.checkpoint(_py_block, x2, x3, x0, x1, use_reentrant=True)
    return v1

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([1, 1, 1]).requires_grad_()
    x2 = torch.zeros([]).requires_grad_()
    x3 = torch.zeros([])
    r = [f(x0, x1, x2, x3)]
    torch.autograd.backward([r[0]], [torch.ones([3, 3])])
    return x1.grad

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
