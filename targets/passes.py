"""The mode inductor_passes: Inductor without code.

Nine tenths of the time of a program go to the C++ compiler, and half of the rest to the code that it gets; but much of what Inductor does has happened before:
passes over the graph, and lowering. Here both happen; then the graph that the passes left is run by ATen, op by op, and what it returns gets the dtype, sizes
and strides that the lowered graph has for it. So this mode shows what the passes do wrong, and what raises an error before there is a kernel; mistakes of the
kernels themselves are for the mode inductor.
"""
import functools
import importlib
import types
import typing
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
        results = list(self.graph(*given))
        theirs = {memory(value) for value in given if isinstance(value, torch.Tensor)}
        for places in self.of_one_buffer(results, theirs).values():
            lay_out(results, self.layouts, places)
        return results

    def of_one_buffer(self, results, theirs):
        """Places of the results that the lowered graph puts in the same memory. What lies on the caller's memory (`theirs`) stays as it is."""
        places = {}
        for k, (result, layout) in enumerate(zip(results, self.layouts)):
            if layout is not None and isinstance(result, torch.Tensor):
                layout.check(result)
                if memory(result) not in theirs:
                    places.setdefault((layout.buffer, layout.dtype), []).append(k)
        return places


class Layout(typing.NamedTuple):
    """A result of the lowered graph; offset and strides in elements."""

    buffer: str
    dtype: torch.dtype
    size: list
    stride: list
    offset: int

    def check(self, result):
        if result.dtype != self.dtype or list(result.size()) != self.size:
            raise WrongResult("the graph returns %s of size %s, the lowered graph %s of size %s" % (result.dtype, list(result.size()), self.dtype, self.size))

    def end(self):
        return self.offset + 1 + sum((n - 1) * step for n, step in zip(self.size, self.stride)) if all(self.size) else 0

    def once(self, tensor):
        """The tensor without what dims of stride 0 repeat, which cannot be written."""
        for dim, step in enumerate(self.stride):
            tensor = tensor.narrow(dim, 0, 1) if step == 0 and tensor.numel() else tensor
        return tensor


def memory(tensor):
    return tensor.untyped_storage()._cdata  # an address, and a tensor without elements has one too


def layout_of(output):
    """The Layout of a result of the lowered graph; None if its sizes are not numbers or it is no tensor."""
    try:
        layout = output.get_layout()
        return Layout(output.get_name(), layout.dtype, [int(n) for n in layout.size], [int(n) for n in layout.stride], int(layout.offset))
    except (AttributeError, NotImplementedError, TypeError, AssertionError):
        return None


def lay_out(results, layouts, places):
    """Gives results of one buffer the strides of the lowered graph, and memory of their own to share."""
    right = all(list(results[k].stride()) == layouts[k].stride for k in places if results[k].numel())
    if right and len({memory(results[k]) for k in places}) == 1:
        return
    buffer = results[places[0]].new_empty(max(layouts[k].end() for k in places))
    for k in places:
        result, layout = results[k], layouts[k]
        results[k] = buffer.as_strided(layout.size, layout.stride, layout.offset)
        layout.once(results[k]).copy_(layout.once(result))


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
