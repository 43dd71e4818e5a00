import torch

def f(x0, x1, x2, x3, x4, x5, x6):
    v1 = x0.transpose(-2, -1)
    x1.abs_()
    v5 = x5.sum(0, keepdim=True)
    v6 = x5.sum(0, keepdim=True)
    return x3, v5, v6

def run(f):
    x0 = torch.tensor([10, 30, 5, 7, 1, 32, 21, 8, 1, 26, 19, 5, 1, 7, 19, 27, 6, 23, 3, 8, 29, 18, 3, 1, 21, 6, 21, 18, 29, 6, 10, 29], dtype=torch.uint8).as_strided([4, 2, 4], [8, 4, 1], 0)
    x1 = x0.detach().as_strided([4, 4], [8, 1], 0)
    x2 = torch.tensor([[[-5, 2, 3]], [[9, 4, 8]]], dtype=torch.int32)
    x3 = torch.tensor([0, 1], dtype=torch.uint8).as_strided([2], [1], 0)
    x4 = torch.tensor([8, 27, 28, 27, 30, 13], dtype=torch.uint8).as_strided([2, 3], [3, 1], 0)
    x5 = torch.tensor([16, 19, 7], dtype=torch.uint8)
    x6 = torch.tensor([[12, 32, 8], [1, 1, 24], [13, 4, 31]], dtype=torch.uint8)
    r = f(x0, x1, x2, x3, x4, x5, x6)
    x0 = torch.tensor([10, 30, 5, 7, 1, 32, 21, 8, 1, 26, 19, 5, 1, 7, 19, 27, 6, 23, 3, 8, 29, 18, 3, 1, 21, 6, 21, 18, 29, 6, 10, 29], dtype=torch.uint8).as_strided([4, 2, 4], [8, 4, 1], 0)
    x1 = x0.detach().as_strided([4, 4], [4, 1], 0)
    x2 = torch.tensor([[[-5, 2, 3, 9, 4, 8]], [[-8, 8, 13, 10, 2, 13]], [[6, 3, 2, 7, -8, 16]], [[12, 8, -11, -4, -6, -8]]], dtype=torch.int32)
    x3 = torch.tensor([0, 1], dtype=torch.uint8).as_strided([2], [1], 0)
    x4 = torch.tensor([8, 27, 28, 27, 30, 13, 27, 22, 23, 19, 30, 12], dtype=torch.uint8).as_strided([2, 6], [6, 1], 0)
    x5 = torch.tensor([16, 19, 7, 3, 15, 18], dtype=torch.uint8)
    x6 = torch.tensor([[12, 32, 8, 1, 1, 24], [13, 4, 31, 22, 26, 12], [21, 9, 28, 16, 17, 11], [27, 17, 1, 2, 11, 15], [4, 31, 31, 20, 29, 1], [21, 26, 29, 32, 5, 13]], dtype=torch.uint8)
    r = f(x0, x1, x2, x3, x4, x5, x6)
    return None

compiled = torch.compile(f, backend="aot_eager")
run(f)  # eager runs
run(compiled)
