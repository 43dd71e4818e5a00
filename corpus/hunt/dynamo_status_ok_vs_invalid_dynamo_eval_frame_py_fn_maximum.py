import torch

import functools
import torch.utils.checkpoint
def _py_policy(context, op, *args, **kwargs):
    policy = torch.utils.checkpoint.CheckpointPolicy
    return policy.MUST_SAVE if "m" in op.name() else policy.PREFER_RECOMPUTE
def _py_selective_checkpoint(function, *args):
    contexts = functools.partial(
        torch.utils.checkpoint.create_selective_checkpoint_contexts, _py_policy)
    return torch.utils.checkpoint.checkpoint(
        function, *args, use_reentrant=False, context_fn=contexts)


def f(x0, x1, x2):
    def _py_block(x0, x1, x2):
        v0 = torch.ops.aten.margin_ranking_loss.default(x1, x2, x0)
        return (v0,)
    [v0] = _py_selective_checkpoint(_py_block, x0, x1, x2, )
    v1 = x1.maximum(v0)
    return v0

def run(f):
    x0 = torch.zeros([])
    x1 = torch.zeros([]).requires_grad_()
    x2 = torch.zeros([], dtype=torch.int64)
    r = [f(x0, x1, x2)]
    torch.autograd.backward([r[0]], [torch.ones([])])
    return None

compiled = torch.compile(f, backend="eager")
run(f)  # eager runs
run(compiled)
