import torch

class _fn_f0(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a0, b0):
        y0 = a0.clamp(min=-1, max=1)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(b0)
        return y0
    @staticmethod
    def backward(ctx, g0):
        [b0] = ctx.saved_tensors
        if not (g0 is None):
            g0 = b0.mul(g0)
        return g0, None

def f(x0, x1):
    v1 = _fn_f0.apply(x1, x0)
    v2 = v1.exp()
    assert torch.is_grad_enabled()
    assert not (x1.dim() == 3)
    v3 = v2.exp()
    v4 = x0.exp()
    with torch.no_grad():
        v5 = torch.ops.aten.slice.Tensor(v2, dim=0, start=3, end=6, step=3)
    return v4, v5, v3

def run(f):
    x0 = torch.tensor([-0.46528011560440063, -1.7198750972747803, 0.49203699827194214, 0.22157634794712067, 0.12189964205026627, 1.2119120359420776, 1.2355339527130127, -1.5851988792419434, -0.3497495949268341, 0.30753201246261597, -1.923521637916565, -0.48101806640625, -1.8649160861968994, -1.1367361545562744, 0.5955275893211365, 1.1765331029891968]).as_strided([16], [1], 0)
    x1 = torch.tensor([1.381607174873352, 0.47969716787338257, 0.8268218040466309, -0.8288416862487793, 0.18706956505775452, -1.185490608215332, -0.10308440029621124, -0.47242435812950134, -1.8345868587493896, -1.3326501846313477, -0.20429536700248718, 0.3255465030670166, -0.5721692442893982, -0.2660640478134155, -0.4953630268573761, -0.9651623368263245]).requires_grad_()
    r = f(x0, x1)
    return r[1].is_leaf

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
