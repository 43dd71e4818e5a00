import torch

def f(x0, x1, x2, x3, v7, v5, v6):
    v1 = x1.abs()
    v2 = v1.add(3)
    v3 = v2.max()
    v4 = v3.contiguous()
    return v4, v7, v6

def run(f):
    x0 = torch.tensor([1.875, 1.0, 1.25, -1.375, -0.25, 1.125], dtype=torch.bfloat16).as_strided([4], [1], 2)
    x1 = torch.tensor([[-1.296875, 1.0, -1.3984375, -1.203125], [-0.5, -0.400390625, 0.0, 0.10009765625]], dtype=torch.bfloat16)
    x2 = torch.tensor([1.3984375, -1.6015625], dtype=torch.bfloat16).as_strided([2], [1], 0).detach().requires_grad_()
    x3 = torch.zeros([1, 2], dtype=torch.int8)
    v7 = torch.tensor(0.5, dtype=torch.bfloat16)
    v5 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16)
    v6 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1, x2, x3, v7, v5, v6)
    torch.autograd.backward([r[2]], [torch.tensor([[-1.625, -0.75]], dtype=torch.bfloat16)])
    x0 = torch.tensor([-1.125, -1.875, -1.625, 1.0, -1.625, -1.5], dtype=torch.bfloat16).as_strided([4], [1], 2)
    x1 = torch.tensor([[-1.1015625, 0.6015625, 1.6015625, -1.3984375], [0.30078125, -1.296875, -0.80078125, 1.1015625], [0.6015625, -1.0, -1.0, -0.69921875], [0.2001953125, 1.1015625, -1.203125, -0.80078125], [-0.2001953125, 0.30078125, -1.1015625, 0.30078125], [0.10009765625, 0.6015625, 1.6015625, 0.10009765625], [-1.203125, 0.5, -1.203125, 0.2001953125], [0.6015625, -0.10009765625, 1.5, 0.6015625], [-1.296875, -0.10009765625, -0.2001953125, -1.1015625]], dtype=torch.bfloat16)
    x2 = torch.tensor([0.30078125, 0.69921875, 0.10009765625, -1.0, 0.0, 0.2001953125, -0.80078125, 0.69921875, 0.30078125], dtype=torch.bfloat16).as_strided([9], [1], 0).detach().requires_grad_()
    x3 = torch.zeros([1, 9], dtype=torch.int8)
    v7 = torch.tensor(0.5, dtype=torch.bfloat16)
    v5 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16)
    v6 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1, x2, x3, v7, v5, v6)
    torch.autograd.backward([r[2]], [torch.tensor([[-1.625, -0.75]], dtype=torch.bfloat16)])
    x0 = torch.tensor([1.375, 1.25, 2.0, -0.5, 1.875, 1.75], dtype=torch.bfloat16).as_strided([4], [1], 2)
    x1 = torch.zeros([0, 4], dtype=torch.bfloat16)
    x2 = torch.zeros([0], dtype=torch.bfloat16).as_strided([0], [1], 0).detach().requires_grad_()
    x3 = torch.zeros([1, 0], dtype=torch.int8)
    v7 = torch.tensor(0.5, dtype=torch.bfloat16)
    v5 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16)
    v6 = torch.tensor([[0.5, 0.375]], dtype=torch.bfloat16).requires_grad_()
    r = f(x0, x1, x2, x3, v7, v5, v6)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
