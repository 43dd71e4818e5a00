"""torch._foreach_copy_([m], [x])"""
import torch


def program(x):
    m = torch.zeros(4)
    torch._foreach_copy_([m], [x])
    return m, m.requires_grad
