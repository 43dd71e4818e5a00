import torch

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


def f(x0, x1, x2, x3, x4, x5, v3):
    v1 = x1.cumsum(-2)
    v2 = v1.tanh()
    def _py_block(v3):
        v5, v6 = torch.adaptive_max_pool1d(v3, [4])
        return (v5, v6,)
    [v5, v6] = _py_adam(_py_block, v3, )
    v8 = torch.tensor([0, 0], dtype=torch.int64).reshape([2]).clone()
    v5.index_add_(0, v8, x2)
    return x2

def run(f):
    x0 = torch.zeros([0], dtype=torch.float64).as_strided([0, 0], [1, 1], 0).detach().requires_grad_()
    x1 = torch.tensor([[[5, -4], [-6, 4], [-14, 12]]])
    x2 = torch.tensor([[[-0.5, -1.600000023841858, -1.0, -0.20000000298023224], [0.4000000059604645, 1.0, 1.2000000476837158, -1.0], [-1.100000023841858, -0.699999988079071, 1.0, -0.5]], [[-0.800000011920929, -1.0, -1.2999999523162842, 1.600000023841858], [-0.4000000059604645, 0.6000000238418579, -0.699999988079071, 1.5], [0.5, 1.2999999523162842, 0.6000000238418579, 0.5]]]).requires_grad_()
    x3 = torch.tensor([[[0.625, 1.625, 1.5, 1.875, -1.75], [1.75, 0.25, -0.875, -1.375, 0.5], [-0.25, 1.25, -2.0, 0.125, 0.75]], [[-0.75, 0.125, -1.5, 2.0, 1.5], [0.875, 1.875, 1.375, 0.25, -0.625], [1.25, 1.0, -1.375, 0.875, -1.375]]])
    x4 = torch.zeros([0, 8], dtype=torch.int64)
    x5 = torch.tensor([-2, -1, 3, -9, 3, 1, 11, 12, -11, -3, 1, -16, 0, 10, -8, -9, 10, 12, 15, -15, 10]).as_strided([8, 2], [2, 1], 5)
    v3 = torch.tensor([[[0.5, 0.375], [-2.0, 1.625], [0.25, 0.875]]])
    r = [f(x0, x1, x2, x3, x4, x5, v3)]
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
