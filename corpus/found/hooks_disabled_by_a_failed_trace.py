import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

def f(x):
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        return torch.func.grad(torch.sum)(x)

def show(f):
    try: f(torch.ones(2))
    except RuntimeError: pass
    return checkpoint(torch.sign, torch.ones(2, requires_grad=True), use_reentrant=False).tolist()
