"""the written tensor is in a list

No program: the format lacks a tensor that stays an item of a list between two statements.
"""
import torch


def program(x):
    ms = [torch.zeros(4)]
    ms[0][torch.arange(4)] = x
    return ms[0], ms[0].requires_grad
