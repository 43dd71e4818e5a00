import torch

import torch.utils.checkpoint


def _fn_h0(g0):
    with torch.no_grad():
        p0 = g0.detach()
    return None

def f(x0, x1, x2, x3, x4, x5):
    v2, v3 = torch._foreach_tanh([x0, x0])
    torch.mul(x1, x1, out=x1)
    v2.atan_()
    v4, v5 = torch._foreach_tanh([x1, x1])
    torch.mul(v5, v4, out=v5)
    v6 = v5.atan_()
    _hook0_x0 = x0.register_hook(_fn_h0)
    v7, v8 = torch._foreach_tanh([v6, x4])
    v8.masked_fill_(x5, False)
    def _py_block(x1, v4, x4):
        v9 = torch.vstack([x4, v4, x1])
        v10 = torch.tensor([1], dtype=torch.int32).reshape([]).clone()
        v11 = torch.embedding(v9, v10, padding_idx=4)
        return (v9, v10, v11,)
    [v9, v10, v11] = torch.utils.checkpoint.checkpoint(_py_block, x1, v4, x4, use_reentrant=False)
    return v11

def run(f):
    x0 = torch.tensor([0.75, -1.75, 0.0, -1.625]).as_strided([4, 1], [1, 4], 0).detach().requires_grad_()
    x1 = torch.ones([4, 2])
    x2 = torch.zeros([13], dtype=torch.int32).as_strided([8], [1], 5)
    x3 = torch.tensor([8, 9, 1, -8, -14, -12, 8, 7], dtype=torch.int32)
    x4 = torch.tensor([[-1.25, -1.75], [-0.875, -1.875], [-0.25, -0.375], [1.875, -0.375]]).requires_grad_()
    x5 = torch.tensor([[False, False]])
    r = [f(x0, x1, x2, x3, x4, x5)]
    torch.autograd.backward([r[0]], [torch.tensor([-0.875, -1.375])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
