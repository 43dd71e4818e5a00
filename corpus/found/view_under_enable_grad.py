import torch
def f(x):
    with torch.enable_grad():
        return x[:2], x.sum()
def show(f):
    x = torch.zeros(3, requires_grad=True)
    with torch.no_grad():
        view, total = f(x)
    (view.sum() + total).backward()
    return x.grad.tolist()
