import torch

def f(x0):
    v0, v1 = torch.adaptive_max_pool1d(x0, [1])
    return v1

def run(f):
    x0 = torch.tensor([[-2.0, 0.5, -0.0, 0.5, 3.4028234663852886e+38, float('inf'), 0.0, 1.0, float('nan'), 3.4028234663852886e+38, float('-inf'), 1.1920928955078125e-07, float('-inf'), 0.5, 1.0, -0.0, float('-inf'), 1.1754943508222875e-38, 3.4028234663852886e+38, 1.1920928955078125e-07, float('inf'), -1.0, -1.0, 1.0, -0.0, float('nan')]])
    r = [f(x0)]
    return r[0].detach()

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
