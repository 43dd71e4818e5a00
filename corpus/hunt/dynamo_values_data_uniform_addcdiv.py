import torch

def f(x0, x1):
    x0.uniform_(to=1.5)
    x1.addcdiv_(x1, x0, value=-2)
    return x1

def run(f):
    x0 = torch.zeros([2, 4], dtype=torch.float16)
    x1 = torch.tensor([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]], dtype=torch.float16)
    torch.manual_seed(0)
    r = [f(x0, x1)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
