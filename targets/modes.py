"""The modes: each one runs the calls of one program. Which there are depends on the version of PyTorch:

    eager             the function, uncompiled
    fake              the function; every ATen op is also run on fake tensors
    aot               AOTAutograd with a compiler that does nothing: tracing, functionalization, joint graph, partition
    dynamo            torch.compile with backend eager: Dynamo only
    aot_eager         torch.compile with backend aot_eager: Dynamo and AOTAutograd
    aot_decomp        aot_eager, with the decompositions and the partitioner of Inductor
    inductor_lite     torch.compile(mode="lite"): Inductor that calls ATen for every op
    inductor_passes   Inductor without code: ATen runs the graph that its passes leave
    inductor          torch.compile with its default backend

A suffix changes how a mode compiles: _dynamic, with dynamic shapes from the first call on; _fullgraph, which refuses graph breaks; _cuda (also of eager):
every tensor is on the GPU.
"""
import contextlib
import importlib
import re

import torch

import passes
from results import address

VERSION = tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2])
BACKENDS = {"dynamo": "eager", "aot_eager": "aot_eager", "aot_decomp": "aot_eager_decomp_partition", "inductor_lite": "inductor",
            "inductor_passes": passes.backend, "inductor": "inductor"}


class Unsupported(Exception):
    """The mode does not support the program: a skip, never an agreement."""


class Eager:
    compiling = False
    fresh = False

    def __init__(self, source):
        self.source = source

    def call(self, args, trace):
        function, free = self.source.scope["_target"](*args)
        return self.source.scope["_results"](function(*free, trace))

    def counts(self):
        return {}


def mismatched(op, message):
    """What differs between the results of an op and those of its fake kernel: a word, the op, and what PyTorch says."""
    said = re.sub(r".*?(mismatched tensor metadata[^:]*: |found (?=mismatch))", "", message, count=1, flags=re.DOTALL)
    words = {"Dtypes": "dtype", "Shapes": "size", "Stride": "stride", "storage offset": "offset", "requires_grad": "requires_grad", "outputs": "alias"}
    return "%s of %s (fake kernel): %s" % (next((kind for word, kind in words.items() if word in said), "metadata"), op, said)


class Fake(Eager):
    """Eager mode, in which every ATen op is also run on fake tensors, as compilers do before they run anything: their dtypes, sizes, strides and aliasing
    must be those of the op (torch/_subclasses/fake_utils.py). Only the forward of a call; what has no fake kernel is not asked."""

    compiling = True

    def __init__(self, source):
        super().__init__(source)
        self.asked = 0
        fake = importlib.import_module("torch._subclasses.fake_tensor")
        crossref = importlib.import_module("torch._subclasses.fake_utils").CrossRefFakeMode
        mismatch = importlib.import_module("torch._subclasses.fake_tensor").MetadataMismatchError
        no_answer = (fake.UnsupportedOperatorException, fake.DynamicOutputShapeException, fake.DataDependentOutputException)
        this = self

        class Both(crossref):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                this.asked += 1
                try:
                    return super().__torch_dispatch__(func, types, args, kwargs)
                except mismatch as error:
                    raise mismatch(mismatched(func, str(error))) from error
                except Exception as error:  # of the fake kernel, unless the op raises one, too
                    result = func(*args, **(kwargs or {}))
                    if isinstance(error, no_answer):
                        return result
                    raise error
        self.mode = Both(only_check_ops_with_meta=False)

    def call(self, args, trace):
        with self.mode:
            return super().call(args, trace)

    def counts(self):
        return {"vacuous": self.asked == 0}


class Aot:
    """AOTAutograd has no guards: this class compiles again whenever a property that it specializes on changes."""

    compiling = True
    fresh = VERSION < (2, 0)  # all results are new tensors of one autograd.Function: flags, strides and aliasing are not preserved

    def __init__(self, source):
        self.source, self.compiled, self.graphs, self.ops, self.untraced = source, {}, 0, 0, False

    def compiler(self, graph, _):
        self.graphs += 1
        self.ops += sum(node.op == "call_function" for node in graph.graph.nodes)
        return graph

    def make(self, trace):
        if VERSION < (2, 0):
            from functorch.compile import aot_function
        else:
            from torch._functorch.aot_autograd import aot_function
        program, results = self.source.scope["program"], self.source.scope["_results"]

        def function(*args):  # may be traced more than once: only the last trace counts
            del trace[:]
            return results(program(*args, trace))
        return aot_function(function, fw_compiler=self.compiler, bw_compiler=self.compiler)

    def rehearse(self, args):
        """Runs the function eagerly on copies of the inputs: AOTAutograd of 1.13 does not support mutated inputs, and errors of eager count as such."""
        copies = {}
        for tensor in args:
            storage = tensor.storage()
            if storage.data_ptr() not in copies:
                whole = torch.empty(0, dtype=tensor.dtype).set_(storage).clone()
                copies[storage.data_ptr()] = whole
        again = [copies[t.storage().data_ptr()].as_strided(t.size(), t.stride(), t.storage_offset()).detach().requires_grad_(t.requires_grad) for t in args]
        before = [t._version for t in again]
        try:
            self.source.scope["program"](*again, [])
        except Exception:
            self.untraced = True  # eager raises this error, too
            raise
        finally:
            if before != [t._version for t in again]:
                raise Unsupported("this AOTAutograd does not support mutating inputs")

    def call(self, args, trace):
        if VERSION < (2, 0) and any(t.grad_fn is not None for t in args):
            raise Unsupported("this AOTAutograd traces through the histories of its arguments, and frees them")
        owners = {}
        key = (torch.is_grad_enabled(),) + tuple(
            (t.dtype, t.size(), t.stride(), t.storage_offset(), t.requires_grad, t.is_leaf, owners.setdefault(address(t), len(owners))) for t in args)
        if key not in self.compiled:
            self.compiled[key] = self.make(trace)
            if VERSION < (2, 0):
                self.rehearse(args)
            return self.compiled[key](*args)  # traces with the actual tensors, then runs
        trace.append(None)  # no statement of the program runs: there is no trace
        return self.compiled[key](*args)

    def counts(self):
        return {"vacuous": self.untraced or self.ops == 0, "x-graphs": self.graphs, "x-graph-ops": self.ops}


def no_latency(*_):
    return 0.0


class Compile:
    """torch.compile: Dynamo and a backend."""

    compiling = True
    fresh = False

    def __init__(self, source, mode, given):
        import torch._dynamo as dynamo
        dynamo.reset()
        dynamo.utils.counters.clear()
        if hasattr(dynamo.guards, "profile_guard_manager"):  # flushes the processor's caches, to measure a latency that only a log shows
            dynamo.guards.profile_guard_manager = no_latency
        self.counters = dynamo.utils.counters
        self.metrics = getattr(dynamo.utils, "get_compilation_metrics", None)
        if self.metrics:
            dynamo.utils.clear_compilation_metrics()
        base, suffixes = split_mode(mode)
        self.source, self.compiled = source, {}
        self.options = {**backend_of(base), "dynamic": True if "dynamic" in suffixes else given.get("dynamic"),
                        "fullgraph": "fullgraph" in suffixes or given.get("fullgraph", False)}

    def call(self, args, trace):
        function, free = self.source.scope["_target"](*args)
        if function not in self.compiled:
            self.compiled[function] = torch.compile(function, **self.options)
        return self.source.scope["_results"](self.compiled[function](*free, trace))

    def counts(self):
        graphs = self.counters["stats"]["unique_graphs"]
        frames = self.counters["frames"]
        counts = {"vacuous": graphs == 0, "x-graphs": graphs, "x-frames": frames["total"], "x-fallbacks": frames["total"] - frames["ok"],
                  "x-graph-breaks": sum(self.counters["graph_break"].values())}
        if self.metrics:  # "0/1" is the second compilation of code 0
            counts["x-recompiles"] = sum(not str(m.compile_id).endswith("/0") for m in self.metrics())
        return counts


def backend_of(base):
    """The options of torch.compile that make a mode."""
    return {"backend": BACKENDS[base], **({"mode": "lite"} if base == "inductor_lite" else {})}


def split_mode(mode):
    """("inductor", {"dynamic", "cuda"}) of inductor_dynamic_cuda."""
    suffixes = set()
    for suffix in ("cuda", "fullgraph", "dynamic"):
        if mode.endswith("_" + suffix):
            suffixes.add(suffix)
            mode = mode[:-len(suffix) - 1]
    return mode, suffixes


def mode_is_cuda(mode):
    return "cuda" in split_mode(mode)[1]


def modes():
    """The modes that this PyTorch has, and why it lacks others."""
    names, absent = ["eager"], {}
    try:
        if VERSION < (2, 0):
            importlib.import_module("functorch.compile").config.use_fake_tensor = False
        else:
            importlib.import_module("torch._functorch.aot_autograd")
        names.append("aot")
    except ImportError:
        pass
    bases = list(BACKENDS) if hasattr(torch, "compile") else []
    if bases:
        names.append("fake")
    if bases and not hasattr(importlib.import_module("torch._inductor"), "lite_mode_options"):
        bases.remove("inductor_lite")
        absent["inductor_lite"] = absent["inductor_lite_dynamic"] = "torch.compile(mode=\"lite\") is newer than it"
    names += bases + [base + "_dynamic" for base in bases] + [base + "_fullgraph" for base in bases if base != "inductor_lite"]
    for name in ["eager"] + bases if bases else []:
        if torch.cuda.is_available():
            names.append(name + "_cuda")
        else:
            absent[name + "_cuda"] = "there is no GPU that it can use (torch.cuda.is_available() is false)"
    return names, absent


def open_mode(mode, source, given):
    base = split_mode(mode)[0]
    plain = {"eager": Eager, "fake": Fake, "aot": Aot}.get(base)
    return plain(source) if plain else Compile(source, mode, given)


def sample(x):
    """A function whose compilation asks once what later ones remember, the hash of triton's files (half a second) among it."""
    return torch.nn.functional.softmax(x @ x, 0).sum()


def warm_up(modes):
    """Imports what compiling needs, before processes are forked for one program each: half a second of each for AOTAutograd, two for Inductor. Nothing is
    differentiated: the threads of the autograd engine do not survive a fork."""
    bases = [base for base in (split_mode(mode)[0] for mode in modes) if base in BACKENDS]
    if not bases:
        return
    import torch._dynamo as dynamo
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # threads of a pool do not survive a fork either
    for base in bases:
        with contextlib.suppress(Exception):  # of a missing C++ compiler, say: the program tells
            torch.compile(sample, **backend_of(base))(torch.zeros(2, 2))
        if base != "dynamo":  # the first joint graph imports these: half a second
            for name in ("torch._inductor.lowering", "torch._inductor.pattern_matcher"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
    dynamo.reset()
    torch.set_num_threads(threads)
