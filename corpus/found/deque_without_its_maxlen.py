import collections

import torch

def f(x, d):
    d.append(7.0)
    return x * d[0]

def show(f):
    return f(torch.ones(2), collections.deque([5.0], maxlen=1)).tolist()
