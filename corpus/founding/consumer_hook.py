"""a hook is registered if the flag is set"""
import torch


def program(x):
    m = torch.zeros(4)
    m.view(4).add_(x)
    if m.requires_grad:
        m.register_hook(lambda grad: grad * 3)
    return m, m.requires_grad
