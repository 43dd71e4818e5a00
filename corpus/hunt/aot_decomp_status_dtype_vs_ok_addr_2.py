import torch

def f(x4, x5, v10):
    v10.addr_(x4, x5, beta=0, alpha=2)
    return v10

def run(f):
    x4 = torch.tensor([-1.568269968032837, -0.8771012425422668, -1.2995117902755737, 0.5652263760566711, -0.1775665432214737, 0.07741521298885345])
    x5 = torch.tensor([-1.9317642450332642, 1.4420967102050781])
    v10 = torch.tensor([[0.5, 0.375], [-2.0, 1.625], [0.25, 0.875], [-2.0, -1.625], [-2.0, -0.375], [0.25, 0.0]])
    r = [f(x4, x5, v10)]
    x4 = torch.tensor([-1.5682699338766763, -0.8771012540174872, -1.2995117519487027, 0.5652263568926381, -0.17756654791642124, 0.07741521438449839], dtype=torch.float64)
    x5 = torch.tensor([-1.9317642450332642, 1.4420967102050781]).requires_grad_()
    v10 = torch.tensor([[0.5, 0.375], [-2.0, 1.625], [0.25, 0.875], [-2.0, -1.625], [-2.0, -0.375], [0.25, 0.0]])
    r = [f(x4, x5, v10)]
    torch.autograd.backward([r[0]], [torch.ones([6, 2])])
    return None

compiled = torch.compile(f, backend="inductor")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
