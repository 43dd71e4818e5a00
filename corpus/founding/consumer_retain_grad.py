"""retain_grad of what was written through a view"""
import torch


def program(x):
    m = torch.zeros(4)
    m.view(4).add_(x)
    if m.requires_grad:
        m.retain_grad()
    return m * 2, m.requires_grad
