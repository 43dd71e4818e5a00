import torch

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x0.sign()
    x0.put_(x1, x2, accumulate=False)
    v2 = torch.ops.aten.hinge_embedding_loss.default(v1, v1, margin=0.5, reduction=1)
    v3 = torch.nn.functional.local_response_norm(x3, 4, beta=0.5, k=0.75)
    v4 = v3.min(v3)
    v5 = v4.negative()
    v6 = torch.ops.aten.mse_loss.default(v5, x4, reduction=2)
    v7 = x5.lerp(x5, 1)
    v8 = v7.outer(x6)
    v9 = v7.sub(x5, alpha=2)
    v10 = v5.nonzero()
    return v9

def run(f):
    x0 = torch.tensor([[0.625], [-1.125], [0.0]], dtype=torch.float64)
    x1 = torch.tensor([1, 2, 0])
    x2 = torch.tensor([1.441839232759893, -0.7125916484123094, -1.8485317776013992], dtype=torch.float64)
    x3 = torch.tensor([[[-1.2, -1.0, -0.6]], [[-1.6, -1.3, 1.5]], [[0.6, 0.1, -0.2]]], dtype=torch.float64).requires_grad_()
    x4 = torch.tensor([False, False, False, True, False]).as_strided([1, 1, 1], [1, 1, 1], 4)
    x5 = torch.tensor([1.4921875], dtype=torch.bfloat16).requires_grad_()
    x6 = torch.tensor([-1.875, -2.0, -1.875, -0.375, 1.375, -0.25], dtype=torch.bfloat16).as_strided([5], [1], 1)
    r = [f(x0, x1, x2, x3, x4, x5, x6)]
    torch.autograd.backward([r[0]], [torch.tensor([float('inf')], dtype=torch.bfloat16)])
    return x3.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
