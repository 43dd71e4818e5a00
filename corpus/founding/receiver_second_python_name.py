"""n = m; n.view(4).add_(x); m.requires_grad"""
import torch


def program(x):
    m = torch.zeros(4)
    n = m
    n.view(4).add_(x)
    return m, m.requires_grad
