import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2, x3, x4, x5, x6, x7, x8):
    v1 = x0.permute([-1, -2])
    v2 = v1.squeeze(1)
    v3 = v1.permute([-1, 0])
    v4 = v3.erfinv()
    v6 = x2.xlogy(-0.75)
    v7 = v2.argsort(dim=1)
    v8 = x3.transpose(-1, -3)
    v9 = torch.ops.aten.reflection_pad1d.default(v2, [2, 2])
    v10 = v8.cumprod(-4)
    v11 = torch.ops.aten.threshold.default(v8, 2, 1.5)
    v12 = torch.randn_like(x6)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v13 = torch.tensor([5, 15], dtype=torch.int64).reshape([2]).clone()
    v9.put_(v13, x8, accumulate=True)
    return v6, v11, v10

def run(f):
    x0 = torch.tensor([[0.375, 1.5], [0.875, -1.75], [0.125, -0.5], [1.375, -1.5], [-0.125, -1.875], [2.0, 1.875], [-1.875, 1.375]], dtype=torch.float16).requires_grad_()
    x1 = torch.tensor([-5, -13])
    x2 = torch.ones([3, 2, 2])
    x3 = torch.tensor([[[[-0.30517578125], [0.59228515625], [-0.8193359375], [1.8310546875]], [[1.0048828125], [0.2364501953125], [0.29150390625], [0.060333251953125]]], [[[-0.5087890625], [1.9560546875], [-1.25390625], [0.407470703125]], [[-0.53857421875], [0.68896484375], [0.71533203125], [-0.35302734375]]]], dtype=torch.float16).requires_grad_()
    x4 = torch.tensor([[[[[-0.090576171875]]]], [[[[-1.6240234375]]]]], dtype=torch.float16).requires_grad_()
    x5 = torch.tensor([1.375], dtype=torch.float16).requires_grad_()
    x6 = torch.tensor([0.0, 1.5, 0.25, 2.0, 0.125, -1.75, -0.875, -1.0, 1.875], dtype=torch.float16).as_strided([2, 1, 2, 1, 1], [2, 2, 1, 1, 1], 5)
    x7 = torch.tensor(-0.9736328125, dtype=torch.float16)
    x8 = torch.tensor([0.78173828125, -1.3720703125, 0.240234375, 0.51220703125, -1.28515625, -1.96875], dtype=torch.float16).as_strided([2], [1], 4)
    torch.manual_seed(62239)
    r = f(x0, x1, x2, x3, x4, x5, x6, x7, x8)
    torch.autograd.backward([r[1], r[2]], [torch.tensor([[[[2.0, 2.0], [-0.625, 1.0], [-1.5, -1.75], [1.0, -0.75]]], [[[-1.875, 1.125], [1.75, -0.875], [0.625, 0.5], [-1.0, -1.875]]]], dtype=torch.float16), torch.tensor([[[[-1.25, 0.25], [1.375, -1.5], [1.25, 1.625], [-0.75, 0.5]]], [[[1.375, -1.125], [-0.125, -1.5], [1.0, 1.125], [-0.125, -0.125]]]], dtype=torch.float16)])
    return x0.grad

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
