"""The mode inductor_passes: Inductor without code.

Nine tenths of the time of a program go to the C++ compiler, and half of the rest to the code that it gets; but much of what Inductor does has happened before:
passes over the graph, and lowering. Here both happen; then the graph that the passes left is run by ATen, op by op, and what it returns gets the dtype, sizes
and strides that the lowered graph has for it. So this mode shows what the passes do wrong, and what raises an error before there is a kernel; mistakes of the
kernels themselves are for the mode inductor.
"""
import functools
import importlib
import types
from unittest import mock

import torch

CACHES = {"fx_graph_cache": False, "fx_graph_remote_cache": False}  # of kernels, which are not made


class WrongResult(AssertionError):
    """The lowered graph has another dtype or size for a result than the graph that it was made of."""


class Module:
    """Stands for the Python module that Inductor would write."""

    __file__ = __file__

    def __init__(self, lowering):
        self.graph = lowering.module
        self.graph.recompile()
        self.layouts = [layout_of(output) for output in lowering.graph_outputs or []]

    def call(self, args):
        given = list(args)
        args.clear()  # the caller's list: what a call no longer needs is freed
        results = self.graph(*given)
        theirs = {address(value) for value in given if isinstance(value, torch.Tensor)}
        return [like(result, layout, theirs) for result, layout in zip(results, self.layouts)]


def address(tensor):
    return tensor.untyped_storage().data_ptr()


def layout_of(output):
    """(dtype, sizes, strides) of a result of the lowered graph; None if they are not numbers or it is no tensor."""
    try:
        layout = output.get_layout()
        return layout.dtype, [int(n) for n in layout.size], [int(n) for n in layout.stride]
    except (AttributeError, NotImplementedError, TypeError, AssertionError):
        return None


def like(result, layout, theirs):
    """The result as the lowered graph has it. What lies on the caller's memory (`theirs`) stays there."""
    if layout is None or not isinstance(result, torch.Tensor):
        return result
    dtype, size, stride = layout
    if result.dtype != dtype or list(result.size()) != size:
        raise WrongResult("the graph returns %s of size %s, the lowered graph %s of size %s" % (result.dtype, list(result.size()), dtype, size))
    if list(result.stride()) == stride or result.numel() == 0 or address(result) in theirs:
        return result
    return torch.empty_strided(size, stride, dtype=dtype, device=result.device).copy_(result)


def without_kernels(lowering):
    """In place of GraphLowering.compile_to_module."""
    if lowering.scheduler is None:  # made when code is generated; logs ask for its nodes
        lowering.scheduler = types.SimpleNamespace(nodes=[])
    return Module(lowering)


def left_out(*_):
    """In place of LoweringPatternEntry.apply, which puts a function of the lowering into the graph: ATen cannot run it."""


def compile_graph(inner, graph, inputs, **words):
    """In place of Inductor's inner compiler, which is called for the forward graph and again, later, for the backward graph."""
    config = importlib.import_module("torch._inductor.config")
    lowering = importlib.import_module("torch._inductor.graph").GraphLowering
    pattern = importlib.import_module("torch._inductor.pattern_matcher").LoweringPatternEntry
    with mock.patch.object(lowering, "compile_to_module", without_kernels), mock.patch.object(pattern, "apply", left_out), config.patch(CACHES):
        return inner(graph, inputs, **words)


def backend(graph, inputs):
    """A backend of torch.compile."""
    compiler = importlib.import_module("torch._inductor.compile_fx")
    with importlib.import_module("torch._functorch.config").patch({"enable_autograd_cache": False}):
        return compiler.compile_fx(graph, inputs, inner_compile=functools.partial(compile_graph, compiler.compile_fx_inner))
