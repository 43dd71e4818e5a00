import torch

def f(x, w):
    a, b = torch.stack([x, w]).unbind()
    a.register_hook(lambda g: None if g is None else g * 2)
    return b

def show(f):
    x, w = (torch.ones(2, requires_grad=True) for _ in range(2))
    f(x, w).sum().backward()
    return w.grad.tolist()
