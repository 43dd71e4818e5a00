import torch

import torch.utils.checkpoint


def f():
    def _py_block():
        v0 = torch.rand([1, 1])
        return (v0,)
    [v0] = torch.utils.checkpoint.checkpoint(_py_block, use_reentrant=False)
    v1 = torch.ops.aten.view_copy.default(v0, [1])
    return v1

def run(f):
    torch.manual_seed(0)
    r = f()
    return None

compiled = torch.compile(f, backend="aot_eager_decomp_partition")
run(f)  # eager runs
run(compiled)
