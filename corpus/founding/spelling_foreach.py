"""torch._foreach_add_([m], [x])"""
import torch


def program(x):
    m = torch.zeros(4)
    torch._foreach_add_([m], [x])
    return m, m.requires_grad
