import torch

import collections
def _results(returned):
    return [returned[key] for key in sorted(returned)]


def f(x0, x1, x2, x3):
    v1 = x1.transpose(-3, -2)
    v2 = torch.ops.aten.view_copy.default(x1, [-1])
    v2.index_add_(0, x2, x3, alpha=1)
    v3 = x3.expand([2, 2])
    v4 = v3.transpose(1, -2)
    v5 = v4.neg()
    with torch.no_grad():
        v6 = v3.mean(0)
        v7 = torch.ops.aten.expand_copy.default(v1, [9, -1, 3])
        v8 = v3.mean(-1)
    _py_left = collections.OrderedDict()
    _py_left[0] = v4
    _py_left.move_to_end(0)
    return _py_left

def run(f):
    x0 = torch.tensor([[-1.375, -1.375], [-0.125, 1.375], [1.0, 2.0], [1.25, 0.25], [1.5, 0.125], [-1.75, -1.25], [-1.75, -0.75], [1.375, -1.125], [0.75, -0.375]]).requires_grad_()
    x1 = torch.tensor([0.75, 0.375, 0.625, 1.75, 1.5, -0.625, 1.0, 1.5, 1.625, -0.375, -0.875, 0.75, 0.625, 1.5, 0.25, -1.25, 0.875, -0.125, -1.375, -0.125, 0.5, 1.375, 0.625, -1.375, 0.5, -0.375, -0.625, 1.5, -0.25, 0.0, 1.625, -0.375, 0.375, 1.375, -0.375, 1.125, 1.5, -1.375, -0.625, 2.0, 0.625, -0.75, -0.375, 1.5, 1.75, -1.875, 1.625, 0.375, 1.25, -1.0, 1.625, -0.375, 2.0, -0.625, -1.5, -1.0, 1.25, -2.0, -0.875, 1.875, -0.25, -0.125, -0.75, -0.375, 1.25, -1.875, -0.75, 1.75, 0.25, -1.0, -1.75, -2.0, 1.125, -1.375, 2.0, 0.625, -0.375, -0.5, 0.875, -1.375, 0.375]).as_strided([3, 9, 3], [1, 9, 3], 0).detach().requires_grad_()
    x2 = torch.tensor([53, 7])
    x3 = torch.tensor([0.875, 0.375]).requires_grad_()
    r = _results(f(x0, x1, x2, x3))
    torch.autograd.backward([r[0]], [torch.tensor([[0.125, 0.75], [-1.375, 1.0]])])
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
