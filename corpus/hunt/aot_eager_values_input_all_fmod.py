import torch

def f(x1, x2, x3, v7, v6, v5):
    v3 = x1.all(1)
    x2.fmod_(x3)
    return None

def run(f):
    x1 = torch.tensor([100, 2, 255, 0, 2, 2, 255, 2, 255, 2, 100, 2, 255, 7, 0, 255, 7, 255, 5], dtype=torch.uint8).as_strided([7, 1], [3, 1], 0)
    x2 = x1.detach().as_strided([7, 1], [3, 1], 0)
    x3 = torch.tensor([[2], [2], [1], [255], [2], [255], [255]], dtype=torch.uint8)
    v7 = torch.zeros([0], dtype=torch.int64)
    v6 = torch.tensor([[[20], [19]], [[0], [29]], [[18], [23]], [[0], [3]], [[0], [13]], [[18], [16]], [[23], [1]], [[10], [32]]], dtype=torch.uint8)
    v5 = torch.tensor([20, 19, 0, 29, 18, 23, 0], dtype=torch.uint8)
    r = f(x1, x2, x3, v7, v6, v5)
    x1 = torch.tensor([100, 2, 255, 0, 2, 2, 255, 2, 255, 2, 100, 2, 255, 7, 0, 255, 7, 255, 5, 7, 100, 2, 7, 249, 255, 100, 3, 1, 255, 0, 100, 100, 249, 2, 249, 2, 255, 100], dtype=torch.uint8).as_strided([7, 1], [3, 1], 0)
    x2 = x1.detach().as_strided([7, 1], [3, 1], 19)
    x3 = torch.tensor([[2], [2], [1], [255], [2], [255], [255]], dtype=torch.uint8)
    v7 = torch.zeros([0], dtype=torch.int64)
    v6 = torch.tensor([[[20], [19]], [[0], [29]], [[18], [23]], [[0], [3]], [[0], [13]], [[18], [16]], [[23], [1]], [[10], [32]]], dtype=torch.uint8)
    v5 = torch.tensor([20, 19, 0, 29, 18, 23, 0], dtype=torch.uint8)
    r = f(x1, x2, x3, v7, v6, v5)
    return x1

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
