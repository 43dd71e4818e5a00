import torch

def _py_trained(function, args, make):
    with torch.enable_grad():
        copies = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in args]
        floats = [a for a in copies if a.requires_grad]
        if not floats:
            return function(*args)
        optimizer = make(floats)
        for _ in range(2):
            optimizer.zero_grad()
            loss = floats[0].sum() * 0
            for r in function(*copies):
                loss = loss + r.sum() if r.is_floating_point() else loss
            loss.backward()
            optimizer.step()
    return function(*[a.detach() for a in copies])
def _py_sgd(function, *args):
    return _py_trained(function, args, lambda p: torch.optim.SGD(p, lr=0.5, momentum=0.5))


def f(x0, x1):
    def _py_block(x0):
        v0 = x0.neg()
        v1 = v0.transpose(1, 0)
        return (v0, v1,)
    [v0, v1] = _py_sgd(_py_block, x0, )
    v1[()] = x1
    v2, v3 = v1.chunk(2)
    v1[()] = 1.0
    return v3

def run(f):
    x0 = torch.zeros([1, 2])
    x1 = torch.zeros([]).requires_grad_()
    r = [f(x0, x1)]
    return None

compiled = torch.compile(f, backend="aot_eager")
def outcome(f):
    try:
        run(f)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
observed, expected = outcome(compiled), outcome(f)
assert observed == expected, (observed, expected)
