import torch

def _py_floats(args):
    return [i for i, a in enumerate(args) if a.is_floating_point()]
def _py_of_floats(function, args, where):
    def inner(*floats):
        full = list(args)
        for i, a in zip(where, floats):
            full[i] = a
        return function(*full)
    return inner
def _py_jvp(function, *args):
    where = _py_floats(args)
    if not where:
        return function(*args)
    floats = tuple(args[i] for i in where)
    results, tangents = torch.func.jvp(_py_of_floats(function, args, where), floats, floats)
    return [r + t if r.is_floating_point() else r for r, t in zip(results, tangents)]


def f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v1):
    def _py_block(x1, v1, x3, x4):
        v3, v4 = torch.nn.functional.multi_head_attention_forward(x1, x1, x1, 1, 1, x3, x4, None, None, False, 0.0, x1, v1, average_attn_weights=True)
        v5 = x4.erfc()
        return (v3, v4, v5,)
    [v3, v4, v5] = _py_jvp(_py_block, x1, v1, x3, x4, )
    v6 = v4.scatter_add(-1, x5, x6)
    return v6, v5, v1, v3, x2

def run(f):
    x0 = torch.tensor([1.203125, 1.0234375, 0.546875, 0.5625, 1.7109375, 1.28125, 1.5859375, -0.9296875, 0.890625, 0.66796875, 0.0517578125, -1.8125, -1.5, 1.5234375, -1.7890625, 0.058837890625, 1.6484375, 1.9609375, -1.4765625, -1.53125, 0.1435546875, 0.052001953125, -0.412109375, 0.328125, 1.15625, 0.1142578125, 0.6328125, 1.953125, 0.494140625, -0.94921875, -1.484375, 0.7109375, -0.609375, 0.71484375, 0.064453125, -0.08251953125, 1.34375, -1.8359375, 1.203125, -0.796875, -1.640625, -1.3515625, -1.6640625, -1.1484375, -1.4296875, 0.1298828125, 1.015625, -0.49609375, -1.7109375, -0.12109375, 1.1953125, -0.89453125, 0.65625, -0.486328125, -0.484375, -0.2041015625, 1.9375, 0.0634765625, -1.296875, 0.220703125, 1.109375, -0.0380859375, 1.6328125, -1.3671875], dtype=torch.bfloat16)
    x1 = torch.tensor([[1.25]], dtype=torch.bfloat16)
    x2 = torch.tensor([[[-0.375, 1.5, -1.375], [-0.375, -1.75, 0.25], [1.375, -2.0, -1.625]], [[-1.25, -1.0, -0.75], [1.125, 0.0, -0.375], [-0.625, 1.375, 0.375]], [[0.75, 0.75, -1.375], [0.875, -0.75, -0.125], [1.5, -1.25, 1.25]], [[-1.375, -0.375, 0.0], [1.875, -0.875, -1.125], [-0.125, -1.375, -0.75]], [[1.375, -1.125, 0.5], [0.125, 0.375, 1.75], [1.625, -1.75, -0.875]], [[-0.125, 1.125, -1.125], [-0.875, 1.375, 1.875], [-0.75, -0.125, -1.25]], [[-1.375, -0.75, -1.25], [0.5, 0.875, -1.125], [1.0, -0.75, 1.0]], [[2.0, -0.375, -0.25], [1.75, -0.25, -1.625], [0.625, 0.25, -0.625]]], dtype=torch.bfloat16).requires_grad_()
    x3 = torch.tensor([0.5], dtype=torch.bfloat16).as_strided([3, 1], [0, 1], 0)
    x4 = torch.ones([3], dtype=torch.bfloat16).as_strided([3], [1], 0)
    x5 = torch.tensor([[0, 0]])
    x6 = torch.tensor([[-0.87890625, 1.3671875]], dtype=torch.bfloat16)
    x7 = torch.tensor([0, 0, 0, 0], dtype=torch.int32)
    x8 = torch.tensor([0, 4, 4, 4])
    v1 = torch.tensor([0.5], dtype=torch.bfloat16)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8, v1)
    return None

compiled = torch.compile(f, backend="inductor")
run(f)  # eager runs
run(compiled)
