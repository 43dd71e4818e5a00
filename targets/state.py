"""What PyTorch keeps for a thread or a process, and a call must leave as it found it (program/print/state.def)."""
import contextlib

import torch
import torch.overrides
import torch.utils._python_dispatch


def pop_to(length, pop):
    """A function that shortens a stack of modes."""
    def shorten(wanted):
        while length() > wanted:
            pop()
    return shorten


def leave_transforms(depth):
    with contextlib.suppress(RuntimeError):  # 2.8 fails an assertion when it has left the last one
        FUNCTORCH.pop_dynamic_layer_stack_and_undo_to_depth(depth)


C = torch._C
FUNCTORCH = getattr(C, "_functorch", None)  # those that a PyTorch lacks are left out
TABLE = {  # name: what reads it, what sets it
    "grad_mode": (torch.is_grad_enabled, C._set_grad_enabled),
    "autocast": (torch.is_autocast_cpu_enabled, torch.set_autocast_cpu_enabled),
    "default_dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "deterministic": (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    "anomaly_mode": (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
}
if hasattr(C._autograd, "_saved_tensors_hooks_is_enabled"):
    TABLE["saved_tensors_hooks"] = (C._autograd._saved_tensors_hooks_is_enabled, lambda _: C._autograd._saved_tensors_hooks_enable())
if hasattr(FUNCTORCH, "pop_dynamic_layer_stack_and_undo_to_depth") and hasattr(FUNCTORCH, "get_dynamic_layer_stack_depth"):
    TABLE["transforms"] = (FUNCTORCH.get_dynamic_layer_stack_depth, leave_transforms)
for name, module in (("dispatch", torch.utils._python_dispatch), ("function", torch.overrides)):
    length, pop = getattr(C, "_len_torch_%s_stack" % name, None), getattr(module, "_pop_mode", None)
    if length and pop:
        TABLE[name + "_modes"] = (length, pop_to(length, pop))


def state():
    return {name: read() for name, (read, _) in TABLE.items()}


def restore(before):
    """Sets what is not as it was; its names."""
    changed = [name for name, (read, _) in TABLE.items() if read() != before[name]]
    for name in reversed(changed):
        TABLE[name][1](before[name])
    return changed
