import torch

import torch.utils.checkpoint


def _fn_h0(g0):
    if not (g0 is None):
        g0 = g0.mul(2)
    return g0

def f(x0, x1):
    v1 = x0.expand([7])
    v2 = v1.expand([7])
    if not (v2.is_leaf):
        v5 = v2.remainder(2.5)
    else:
        v3 = v2.exp()
        v4 = v3.expand([2, 7])
    def _py_block(x0):
        v6 = x0.sum(-1, keepdim=True, dtype=torch.float32)
        return (v6,)
    [v6] = torch.utils.checkpoint.checkpoint(_py_block, x0, use_reentrant=False)
    v7 = v6.exp()
    _hook0_x0 = x0.register_hook(_fn_h0)
    v8 = v7.exp()
    v9 = v8.relu()
    v10 = v9.relu()
    v11 = v10.exp()
    def _py_block(v9, v11):
        v12 = torch.scalar_tensor(-1.5, dtype=None)
        v13 = v11.dot(v9)
        v14 = v13.trunc()
        return (v12, v13, v14,)
    [v12, v13, v14] = torch.utils.checkpoint.checkpoint(_py_block, v9, v11, use_reentrant=True)
    return x1, v14, v13, v12

def run(f):
    x0 = torch.arange(1.0).as_strided([1], [2], 0).detach().requires_grad_()
    x1 = torch.tensor([0.0], dtype=torch.float16).as_strided([1], [1], 0).detach().requires_grad_()
    r = f(x0, x1)
    x1, v14, v13, v12, = r
    (v15,) = torch.autograd.grad([v13], [x0], retain_graph=True, allow_unused=True)
    if v15 is None: del v15
    (v16,) = torch.autograd.grad([v13], [v13], retain_graph=True)
    v17 = v16.relu()
    if torch.is_grad_enabled():
        v18 = v13.neg()
    else:
        v18 = v13.mul(4)
    v19 = v18.expand([])
    torch.autograd.backward([v18], retain_graph=True)
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
