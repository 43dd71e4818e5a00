import torch

def f(x0):
    x0.normal_()
    return None

def run(f):
    x0 = torch.zeros([31]).as_strided([16], [2], 0)
    torch.manual_seed(0)
    r = f(x0)
    return x0

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
torch.testing.assert_close(run(compiled), run(f), equal_nan=True)
