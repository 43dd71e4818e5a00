"""m[i] += x"""
import torch


def program(x):
    m = torch.zeros(4)
    m[torch.arange(4)] += x
    return m, m.requires_grad
