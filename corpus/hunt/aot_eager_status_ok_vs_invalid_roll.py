import torch

class _PyObject:
    pass


def _fn_h0(g0):
    p0 = g0.clone()
    return p0

def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = x0.roll(-3, dims=[-1])
    _py_x = {"a": None}
    _py_x["b"] = x0.addmm(x1, x2, beta=-2.0)
    v2 = _py_x.pop("b")
    assert not (x2.requires_grad)
    _hook0_x0 = x0.register_hook(_fn_h0)
    v3 = x1.transpose(0, -1)
    v4 = x1.roll(-2, dims=[1])
    def _py_f(_py_n):
        if _py_n > 1:
            return None
        return v4.addmm(x3, x4, beta=-2.0, alpha=2)
    v5 = _py_f(1)
    v6 = torch.ops.aten.slice.Tensor(v5, dim=-1, step=103)
    v4[0:, 3:] = v6
    v7 = x0.addmm(x5, x6)
    v8 = torch.ops.aten.cosine_embedding_loss.default(x6, x6, x7, reduction=0)
    v9 = x7.mul(False)
    v10 = v5.argsort(stable=False, dim=-1)
    _py_x = _PyObject()
    _py_x.value = v8.std(0)
    v11 = _py_x.value
    return v11, v9

def run(f):
    x0 = torch.tensor([1.375, -0.375, 1.375], dtype=torch.float16).as_strided([3], [1], 0).detach().requires_grad_()
    x1 = torch.tensor([1.2998046875, -0.300048828125, 1.099609375, 0.89990234375, 0.60009765625, 1.599609375, 0.5], dtype=torch.float16).as_strided([1, 2], [2, 1], 5).detach().requires_grad_()
    x2 = torch.tensor([[-0.60009765625, -0.300048828125, 1.0], [-1.2998046875, 0.7998046875, 0.300048828125]], dtype=torch.float16)
    x3 = torch.tensor([[-0.75, -1.25, 1.125, 0.125]], dtype=torch.float16)
    x4 = torch.tensor([[1.400390625, -0.0999755859375], [1.099609375, 0.7001953125], [-0.5, -0.89990234375], [-0.39990234375, 0.39990234375]], dtype=torch.float16)
    x5 = torch.zeros([1, 0], dtype=torch.float16).requires_grad_()
    x6 = torch.zeros([0], dtype=torch.float16).as_strided([0, 3], [1, 1], 1).detach().requires_grad_()
    x7 = torch.zeros([0], dtype=torch.int64)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7)
    torch.autograd.backward([r[0]], [torch.tensor(0.75, dtype=torch.float16)])
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
