import torch
torch._inductor.config.fallback_random = True

def f(x0, x1, x2, x3, x4, x5, x6, x7):
    v1 = torch.ops.aten.constant_pad_nd.default(x0, [2, 1], value=1.0)
    v2 = torch.ops.aten.cross_entropy_loss.default(v1, v1, weight=x1, reduction=0)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v3 = torch.logical_and(v2, v2, out=x2)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v4 = torch.tensor([2, 3, 0, 1, 2, 3, 0, 1, 3, 0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3], dtype=torch.int64).reshape([3, 2, 4]).clone()
    v3.scatter_(0, v4, x3)
    torch.feature_alpha_dropout_(x4, 1.0, True)
    v5 = torch.tensor([2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3], dtype=torch.int64).reshape([3, 2, 2]).clone()
    v7 = v5.argsort(stable=True)
    v8 = v7.expand_as(v7)
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    v9 = torch.randn([3, 4])
    v10 = torch.ops.aten.alias.default(v9)
    v11 = v10.erfinv()
    torch._dynamo.graph_break() if hasattr(torch, "_dynamo") else None
    return v8

def run(f):
    x0 = torch.tensor([[[[-1.0234375], [1.3125], [0.09814453125], [-1.265625]], [[0.248046875], [0.90234375], [-1.2265625], [0.0947265625]], [[1.15625], [1.21875], [-1.6640625], [0.8515625]]], [[[1.1953125], [1.90625], [-1.765625], [-0.01361083984375]], [[0.06494140625], [-1.0234375], [-0.82421875], [1.90625]], [[0.61328125], [-1.6484375], [1.3359375], [1.015625]]], [[[-1.578125], [-1.875], [0.578125], [-1.4609375]], [[-1.078125], [-1.0859375], [-1.2265625], [1.0078125]], [[-0.62109375], [-1.3671875], [-0.298828125], [0.7890625]]], [[[0.96484375], [-0.7109375], [0.984375], [0.412109375]], [[-1.8671875], [0.8359375], [1.4296875], [-0.80078125]], [[0.2734375], [-0.41796875], [-1.7578125], [0.8515625]]]], dtype=torch.bfloat16)
    x1 = torch.tensor([0.875, 0.625, -1.5], dtype=torch.bfloat16)
    x2 = torch.tensor([[[False, True, False, True], [False, True, True, True], [True, False, False, True], [True, False, True, True]], [[False, False, False, False], [False, True, False, False], [False, True, False, True], [False, True, False, False]], [[False, True, True, False], [True, False, False, False], [False, True, False, False], [False, False, False, True]], [[False, False, True, False], [True, False, False, True], [False, True, False, False], [True, True, False, False]]])
    x3 = torch.tensor([True, False, False, True, True, True, False, False, False, True, False, False, True, True, False, False, True, False, False, True, True, True, True, False]).as_strided([3, 2, 4], [1, 3, 6], 0)
    x4 = torch.tensor([[[15, 1, 7, 20], [24, 21, 20, 14]], [[19, 11, 14, 3], [5, 2, 21, 23]], [[29, 4, 20, 13], [26, 18, 23, 4]]], dtype=torch.uint8)
    x5 = torch.tensor([[[2, 3], [3, 0], [0, 1], [1, 2]], [[2, 3], [3, 0], [0, 1], [1, 2]], [[2, 3], [3, 0], [0, 1], [1, 2]], [[2, 3], [3, 0], [0, 1], [1, 2]]])
    x6 = torch.tensor([-10, 11, 12, -5, 15, -6, 1, -16]).as_strided([4, 2], [2, 1], 0)
    x7 = torch.ones([6], dtype=torch.int64).as_strided([3, 1, 2], [1, 3, 3], 0)
    torch.manual_seed(52369)
    r = [f(x0, x1, x2, x3, x4, x5, x6, x7)]
    return x2

compiled = torch.compile(f, backend="inductor")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
