import torch

def _fn_n6(_hooked):
    n7, n8 = _hooked, _hooked.grad

class _fn_n19(torch.autograd.Function):
    @staticmethod
    def forward(ctx, n7, n14):
        n15 = n7.clone()
        ctx.save_for_backward(n14)
        return n15
    @staticmethod
    def backward(ctx, n8):
        [n14] = ctx.saved_tensors
        n9 = n14.mul(n8)
        n18 = n14.mul(n8)
        return n9, n18

def f(x0, x1):
    _hook0_x0 = x0.register_post_accumulate_grad_hook(_fn_n6)
    _hook0_x0.remove()
    v0 = _fn_n19.apply(x1, x1)
    return None

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([])
    r = f(x0, x1)
    return None

compiled = torch.compile(f, backend="eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
