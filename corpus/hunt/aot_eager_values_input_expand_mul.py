import torch

def f(x0):
    v0 = x0.expand([3, 4])
    torch.mul(v0, x0, out=v0)
    return None

def run(f):
    x0 = torch.tensor([[0.356201171875, -0.53271484375, 0.10870361328125, 0.65283203125], [1.453125, -0.6689453125, 0.72265625, -0.322998046875], [1.0537109375, -0.0626220703125, -0.966796875, 1.3134765625]], dtype=torch.float16)
    r = f(x0)
    return x0

compiled = torch.compile(f, backend="aot_eager")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
