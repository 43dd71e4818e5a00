"""the write is in a checkpointed function

No program: the format lacks a branch inside a checkpointed block.
"""
import torch
import torch.utils.checkpoint


def program(x):
    def inner(x):
        m = torch.zeros(4)
        m.view(4).add_(x)
        return m * (2 if m.requires_grad else -1)
    y = torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False)
    return y, y.requires_grad
