import torch
torch._inductor.config.fallback_random = True

import torch.utils.checkpoint
def _py_item(function, *args):
    return function(*[torch.full_like(a, a.item()) if a.numel() == 1 else a for a in args])


def f(x0, x1, x2, x3, x4, x5):
    v1 = x0.dot(x3)
    with torch.no_grad():
        def _py_block(v1):
            v2 = torch.ops.aten.softplus.default(v1, threshold=2.0)
            return (v2,)
        [v2] = _py_item(_py_block, v1, )
        torch.feature_alpha_dropout_(v2, 0.25, False)
    def _py_block(x3, x4, x5):
        v3 = x3.transpose(0, 0)
        v4 = v3.erfinv()
        v5 = torch.nn.functional.linear(v4, x4, bias=x5)
        return (v3, v4, v5,)
    [v3, v4, v5] = torch.utils.checkpoint.checkpoint(_py_block, x3, x4, x5, use_reentrant=True)
    v6 = v2.min()
    assert not (v4.requires_grad)
    return v5, x4

def run(f):
    x0 = torch.tensor([0.60009765625, 1.2998046875, -0.7001953125, 1.5, 1.5, 1.2998046875, -0.300048828125, 1.099609375, -0.300048828125, -1.0, -1.400390625, -0.7998046875, -1.400390625, 0.60009765625, -1.5], dtype=torch.float16).as_strided([15], [1], 0)
    x1 = torch.ones([8], dtype=torch.int64).as_strided([8, 15], [1, 0], 0)
    x2 = x0.detach().as_strided([13], [1], 2)
    x3 = torch.tensor([1.375, 1.625, 1.375, -1.25, 1.5, 0.5, -1.375, 1.875, 0.875, 1.625, 2.0, -0.625, -1.375, -0.875, 1.625], dtype=torch.float16).as_strided([15], [1], 0)
    x4 = torch.tensor([1.7890625, -1.84375, 1.173828125, -0.87060546875, 0.6748046875, 0.313232421875, -0.9697265625], dtype=torch.float16).as_strided([7, 15], [1, 0], 0).detach().requires_grad_()
    x5 = torch.tensor([-0.5498046875, -0.734375, 1.46484375, -0.0667724609375, -0.52294921875, -1.1650390625, 1.6953125], dtype=torch.float16).as_strided([7], [1], 0).detach().requires_grad_()
    torch.manual_seed(17098)
    r = f(x0, x1, x2, x3, x4, x5)
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
