import torch
torch._inductor.config.fallback_random = True

def f(x1, v2, v3, v4, x3, x4):
    v6 = torch.feature_dropout(v2, 0.25, True)
    v6[[1],] = x3
    v7 = x4.new_full([v6.size(0), v4.size(2)], -0.0)
    v8 = v4.log2()
    return v3, v2, v8, v7

def run(f):
    try:
        torch.manual_seed(26894)
        x0 = torch.tensor([0.5]).as_strided([3], [0], 0).detach()
        x1 = x0.detach().as_strided([], [], 0).detach()
        x2 = torch.tensor([[[-1.125, -0.625], [0.125, -1.5], [2.0, -0.75]], [[1.75, 0.25], [1.375, -0.25], [0.625, -0.25]], [[-1.625, 1.125], [0.5, 1.375], [1.75, 1.75]]]).requires_grad_()
        x3 = torch.tensor([[0.8421503901481628, 0.5479044318199158, -0.4554406404495239]])
        x4 = torch.tensor(1.25)
        v1 = x2.relu()
        v2, v3 = x2.unbind(dim=-1)
        v4 = v1.mul_(x1)
        r = f(x1, v2, v3, v4, x3, x4)
        torch.autograd.backward([r[0], r[1], r[2]], [torch.tensor([[0.5, -0.875, 0.875], [-0.625, 0.875, -0.375], [-1.625, 0.5, 0.25]]), torch.tensor([[1.25, -0.875, 1.5], [0.25, 1.875, 2.0], [0.75, 1.875, 1.125]]), torch.tensor([[[0.5, 0.75], [-0.25, 1.125], [1.125, -1.375]], [[0.0, 2.0], [-0.125, -0.5], [0.375, 0.75]], [[0.125, 1.75], [1.0, 0.5], [1.0, 1.125]]])])
    except Exception:
        pass
    torch.manual_seed(26895)
    x0 = torch.tensor([1.600000023841858]).as_strided([2], [0], 0).detach()
    x1 = x0.detach().as_strided([], [], 0).detach()
    x2 = torch.tensor([[[0.875, 1.125], [-2.0, 0.25], [2.0, -1.375], [-1.75, 1.0]], [[-1.625, -0.625], [2.0, 0.125], [-0.625, 0.125], [-0.5, -1.625]]]).requires_grad_()
    x3 = torch.tensor([[0.2680778205394745, 0.8198529481887817]])
    x4 = torch.tensor(0.75)
    v1 = x2.relu()
    v2, v3 = x2.unbind(dim=-1)
    v4 = v1.mul_(x1)
    r = f(x1, v2, v3, v4, x3, x4)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
