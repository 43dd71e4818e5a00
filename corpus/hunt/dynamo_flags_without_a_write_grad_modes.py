import torch

import torch.utils.checkpoint
def _py_trained(function, args, make):
    with torch.enable_grad():
        copies = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in args]
        floats = [a for a in copies if a.requires_grad]
        if not floats:
            return function(*args)
        optimizer = make(floats)
        for _ in range(2):
            optimizer.zero_grad()
            loss = floats[0].sum() * 0
            for r in function(*copies):
                loss = loss + r.sum() if r.is_floating_point() else loss
            loss.backward()
            optimizer.step()
    return function(*[a.detach() for a in copies])
def _py_adam(function, *args):
    return _py_trained(function, args, lambda p: torch.optim.Adam(p, lr=0.3))


def f(x0, x1, x2, v4):
    v1 = torch.ones([1, 15, 15], dtype=torch.float32)
    v2 = v1.sub(v1)
    v3 = torch.ops.aten.upsample_nearest2d.default(x1, [3, 3])
    def _py_block(v4):
        v5, v6 = torch.std_mean(v4, [0], unbiased=False)
        return (v5, v6,)
    [v5, v6] = _py_adam(_py_block, v4, )
    v7 = v6.erfinv()
    def _py_block(v1, v4, v6, x2):
        v8 = v6.all()
        v9 = torch.vander(v4, increasing=True)
        v10 = torch.ops.aten.slice.Tensor(v1, dim=-2, start=-15, end=-12)
        v11 = v10.bmm(x2)
        return (v8, v9, v10, v11,)
    [v8, v9, v10, v11] = torch.utils.checkpoint.checkpoint(_py_block, v1, v4, v6, x2, use_reentrant=True)
    return v11, v9, v8, v7, v5, v3, v2

def run(f):
    x0 = torch.tensor([-0.875]).as_strided([16], [0], 0)
    x1 = torch.tensor([-1.875, -1.125, -1.125, 1.5, 0.5, 1.25, 0.875, -0.875]).as_strided([1, 4, 4, 2], [8, 0, 2, 1], 0)
    x2 = torch.ones([240]).as_strided([1, 15, 16], [1, 1, 15], 0).detach().requires_grad_()
    v4 = torch.tensor([0.5, 0.375, -2.0, 1.625, 0.25, 0.875, -2.0, -1.625, -2.0, -0.375, 0.25, 0.0, 0.875, -1.875, -0.75, 2.0])
    r = f(x0, x1, x2, v4)
    return r[1].requires_grad

compiled = torch.compile(f, backend="eager")
observed, expected = run(compiled), run(f)
assert observed == expected, (observed, expected)
