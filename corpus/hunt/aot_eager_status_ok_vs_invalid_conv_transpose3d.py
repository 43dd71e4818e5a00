import torch

def _fn_n4(_hooked):
    n5, n6 = _hooked, _hooked.grad
    n7 = n6.detach()

def f(x0, x1, x2, x3, x4):
    _hook0_x0 = x0.register_post_accumulate_grad_hook(_fn_n4)
    v0, v1, v2 = torch.ops.aten.atleast_2d.Sequence([x1, x0, x1])
    v3 = torch.conv_transpose3d(x2, x3)
    v4, v5, v6 = torch.ops.aten.atleast_2d.Sequence([v3, v3, v3])
    return v5

def run(f):
    x0 = torch.zeros([]).requires_grad_()
    x1 = torch.zeros([])
    x2 = torch.zeros([1, 1, 1, 1]).requires_grad_()
    x3 = torch.zeros([1, 1, 1, 1, 1])
    x4 = torch.zeros([])
    r = [f(x0, x1, x2, x3, x4)]
    torch.autograd.backward([r[0]], [torch.ones([1, 1, 1, 1])])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
