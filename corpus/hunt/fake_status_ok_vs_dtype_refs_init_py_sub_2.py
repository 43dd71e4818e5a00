import torch

def f(x0, x1, x2):
    v1 = x0.abs()
    v2 = v1.add(1)
    v3 = x0.expand([2])
    v4 = v3.ge(0.0)
    v5 = v4.ge(False)
    v6 = torch.ops.aten.elu_.default(v2, alpha=2, scale=0.0, input_scale=1)
    v7 = v2.narrow(0, 0, 0)
    v7[0:0] = x1
    v8 = x1.xlogy(x1)
    v9 = v5.asin()
    v5.fill_(False)
    v10 = v9.ge(-1)
    v11 = v10.expand([2])
    if v9.grad_fn is not None:
        v11[..., 2:] = x2
    else:
        v11[[0, 0, 0, 0],] = True
        v12 = v9.ge(0.25)
    v13 = v9.t()
    torch.ops.aten.elu_.default(v13, scale=4, input_scale=-1.5)
    return v9

def run(f):
    x0 = torch.tensor([-0.8999999761581421, -0.10000000149011612, 1.600000023841858, -0.800000011920929]).as_strided([1], [1], 3).detach().requires_grad_()
    x1 = torch.zeros([0]).requires_grad_()
    x2 = torch.zeros([0], dtype=torch.bool).as_strided([0], [1], 2)
    r = [f(x0, x1, x2)]
    return None

compiled = torch.compile(f, backend="inductor", mode="lite")
run(f)  # eager runs
run(compiled)
