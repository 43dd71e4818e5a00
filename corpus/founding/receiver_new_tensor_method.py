"""x.new_zeros(4).view(4).add_(x)"""
import torch


def program(x):
    m = x.new_zeros(4)
    m.view(4).add_(x)
    return m, m.requires_grad
