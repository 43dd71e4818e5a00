#!/usr/bin/env python3
"""PyTorch as a target of twingrad: reads one JSON request per line from standard input, writes one answer per line to standard output
(docs/reference/format.md, "Out-of-process targets"; docs/guide/targets.md).

Runs with PyTorch 1.13 or later. The available modes depend on its version:

    eager             the function, uncompiled
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
import json
import linecache
import math
import os
import re
import subprocess
import sys
import types
import warnings

sys.dont_write_bytecode = True  # the folder may be read-only

import kernels  # noqa: E402
import settings  # noqa: E402
from error_codes import INTERNAL_MESSAGE, causes, code_of, kind_and_message, origins, readable, refusal  # noqa: E402

os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")  # an error of a kernel belongs to the op that launched it

try:
    import torch
except ImportError as error:
    sys.stderr.write("no PyTorch for %s (%s): 'make torch' installs one, docs/guide/targets.md says how to use another\n" % (sys.executable, error))
    sys.exit(3)

import observed  # noqa: E402
import passes  # noqa: E402

VERSION = tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2])
MASK = (1 << 64) - 1
LOST_GPU = "CUDA error: "  # of a kernel: the process can use the GPU no longer
LONGEST = 16 << 20  # bytes of an answer: JSON_MAX_BYTES of program/json/tree.h
DTYPES = {name: getattr(torch, name) for name in "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
FILLED = {}
DEVICE = "cpu"  # of the mode that runs
BACKENDS = {"dynamo": "eager", "aot_eager": "aot_eager", "aot_decomp": "aot_eager_decomp_partition", "inductor_lite": "inductor",
            "inductor_passes": passes.backend, "inductor": "inductor"}

INTERNAL = ("MetadataMismatchError", "InternalTorchDynamoError", "BackendCompilerFailed", "LoweringException", "InductorError", "CppCompileError", "PartitionError")
UNSUPPORTED = ("Unsupported", "DataDependentOutputException", "DynamicOutputShapeException", "UnsupportedOperatorException",
               "GuardOnDataDependentSymNode", "UncapturedHigherOrderOpError")


class Unsupported(Exception):
    """The mode does not support the program: a skip, never an agreement."""


def frame_of(error):
    """File and function of the innermost frame of the compiler that raised the error, or was running when something else did; None if there is none."""
    for one in reversed(origins(error)):
        tb, found = one.__traceback__, None
        while tb is not None:
            code = tb.tb_frame.f_code
            part = re.search(r"/torch/((_dynamo|_functorch|_inductor|_subclasses|_higher_order_ops|fx|_decomp|_refs|_prims)/.*|_meta_registrations\.py)", code.co_filename)
            found = "%s:%s" % (part.group(1), code.co_name) if part else found
            tb = tb.tb_next
        if found:
            return found
    return None


class Source:
    """The exported function, under its own file name."""

    count = 0

    def __init__(self, text):
        Source.count += 1
        self.name = "twingrad_program_%d.py" % Source.count
        self.lines = text.split("\n")
        linecache.cache[self.name] = (len(text), None, [line + "\n" for line in self.lines], self.name)
        self.scope = {"__name__": "twingrad_program", "__file__": self.name}
        exec(compile(text, self.name, "exec"), self.scope)

    def forget(self):
        linecache.cache.pop(self.name, None)

    def path(self, number):
        """The statement's path at the end of a line."""
        _, found, path = self.lines[number - 1].rpartition("  # ")
        return path if found else None

    def reading(self, number, error):
        """The line that reads an unbound name: CPython 3.11 and later, once the function is hot, may name the assignment before it (the two
        instructions are one then)."""
        unbound = re.search(r"local variable '(\w+)'", str(error)) if isinstance(error, UnboundLocalError) else None
        for k in range(number, len(self.lines) + 1 if unbound else 0):
            if re.search(r"\b%s\b" % unbound.group(1), self.lines[k - 1]):
                return k
        return number

    def locate(self, error):
        """The path of the innermost statement in the traceback, and whether the function itself raised. The ops of a captured graph have no place: they run
        where the graph is called, which is a line of the first or of none of them."""
        raised = False
        for one in causes(error):
            at, inner, tb = None, False, one.__traceback__
            while tb is not None:
                code, called = tb.tb_frame.f_code, inner
                if called and code.co_name == "_fn" and code.co_filename.endswith("torch/_dynamo/eval_frame.py"):
                    at = None
                inner = code.co_filename == self.name
                at = (self.path(self.reading(tb.tb_lineno, one)) if inner else None) or at
                tb = tb.tb_next
            if at:
                return at, inner
            raised = raised or inner  # by the backward of a function, whose statements have no path
        return None, raised


def refused_by_function(error):
    """Is it an assertion about the arguments of a function of torch.nn.functional?"""
    tb = error.__traceback__ if isinstance(error, AssertionError) else None
    while tb is not None and not tb.tb_frame.f_code.co_filename.endswith("torch/nn/functional.py"):
        tb = tb.tb_next
    return tb is not None


def error_record(source, error, at, mode):
    chain = causes(error)
    names = [type(one).__name__ for one in chain]
    found, inner = source.locate(error)
    message = "; ".join(str(one) for one in chain)
    named = re.findall(r'File "%s", line (\d+)' % re.escape(source.name), message)  # Dynamo's "from user code"
    found = (source.path(int(named[-1])) if named else None) or found
    if LOST_GPU in message:  # an assertion of a kernel says no more, and the process cannot go on
        code = "unsupported" if mode.startswith("eager") else "internal"
    elif any(name in INTERNAL for name in names) or INTERNAL_MESSAGE in message:
        code = refusal(chain) or "internal"
    elif any(name in UNSUPPORTED for name in names):
        code = "unsupported"
    elif isinstance(error, AssertionError) and inner:
        code = "assertion"
    elif refused_by_function(error):
        code = "invalid"
    elif isinstance(error, (AssertionError, KeyError, AttributeError, RecursionError)) and not inner:
        code = "internal"
    else:
        code = code_of(*kind_and_message(error)) or refusal(chain) or "invalid"
    text = readable(message.split("\nFrom user code")[0])[:500]
    return {"at": at or found, "code": code, "message": "%s: %s" % (type(error).__name__, text)}


# ---- inputs ----

@contextlib.contextmanager
def device_of(name):
    """New tensors are on this device. Sums of float32 on a GPU do not round factors to TF32."""
    global DEVICE
    before, DEVICE = DEVICE, name
    if name != "cpu":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if name != before:
        torch.set_default_device(name)
    try:
        yield
    finally:
        DEVICE = before
        if name != before:
            torch.set_default_device(None if before == "cpu" else before)


def wrap(value, dtype):
    info = torch.iinfo(dtype)
    value &= (1 << info.bits) - 1
    return value - (1 << info.bits) if info.min < 0 and value >> (info.bits - 1) else value


def signed(value):
    """The 64-bit word as an int64 of PyTorch."""
    return value - (1 << 64) if value >> 63 else value


def shifted(words, n):
    """Words without sign, shifted right; they are int64."""
    return (words >> n) & ((1 << (64 - n)) - 1)


def remainder(words, n):
    """Words without sign, modulo n."""
    return (shifted(words, 1) % n * 2 + (words & 1)) % n


def splitmix(seed, count):
    """The outputs of SplitMix64 as words without sign, in an int64 tensor: its products and sums wrap."""
    z = torch.arange(1, count + 1) * signed(0x9E3779B97F4A7C15) + signed(int(seed) & MASK)
    z = (z ^ shifted(z, 30)) * signed(0xBF58476D1CE4E5B9)
    z = (z ^ shifted(z, 27)) * signed(0x94D049BB133111EB)
    return z ^ shifted(z, 31)


def fill(kind, seed, count, dtype):
    """A new tensor; one that was made before is copied, since several modes need the same inputs."""
    key = kind, seed, count, dtype
    if key not in FILLED:
        if len(FILLED) >= 64:
            FILLED.clear()
        with device_of("cpu"):
            FILLED[key] = make_fill(*key)
    return FILLED[key].clone() if DEVICE == "cpu" else FILLED[key].to(DEVICE)


def make_fill(kind, seed, count, dtype):
    floating, boolean = dtype.is_floating_point, dtype == torch.bool
    if kind in ("zeros", "ones"):
        return torch.full([count], 1 if kind == "ones" else 0, dtype=dtype)
    if kind == "arange":
        return torch.arange(count).ne(0) if boolean else torch.arange(count).to(torch.float64 if floating else dtype).to(dtype)
    z = splitmix(seed, count)
    if kind == "special" and not boolean:
        info = torch.finfo(dtype) if floating else torch.iinfo(dtype)
        if floating:
            values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan, info.tiny, info.max, info.eps]
        else:
            values = [wrap(value, dtype) for value in (0, 1, -1, 2, -2, 3, 7, -7, 100, info.min, info.max, 5)]
        return torch.tensor(values, dtype=dtype)[remainder(z, 12)]
    if kind == "uniform" and floating:
        return (shifted(z, 11).to(torch.float64) * 2.0**-53 * 4 - 2).to(dtype)
    if floating:
        return ((remainder(z, 33) - 16).to(torch.float64) / (10 if kind == "decimal" else 8)).to(dtype)
    return remainder(z, 2).ne(0) if boolean else (remainder(z, 33) - (0 if dtype == torch.uint8 else 16)).to(dtype)


def number(value):
    if isinstance(value, str):
        return int(value) if value.lstrip("-").isdigit() else float(value)
    return value


class Input:
    """An input tensor of the program; `storage` is its whole storage as a 1-d tensor."""

    def __init__(self, name, storage, tensor):
        self.name, self.storage, self.tensor = name, storage, tensor

    def whole(self):
        """Its storage as it is now: resize_ and out= may have made it larger, set_ another one."""
        memory = self.tensor.untyped_storage() if hasattr(self.tensor, "untyped_storage") else None
        if memory is None:
            return self.storage
        if memory.data_ptr() == self.storage.data_ptr() and memory.nbytes() <= self.storage.numel() * self.storage.element_size():
            return self.storage
        return torch.empty(0, dtype=self.storage.dtype, device=self.storage.device).set_(memory)


def build(inputs):
    placed, length, data = [], {}, {}
    for index, spec in enumerate(inputs):
        size, key = spec["size"], spec.get("storage", index)
        stride = spec.get("stride")
        if stride is None:
            stride, step = [], 1
            for n in reversed(size):
                stride.insert(0, step)
                step *= max(n, 1)
        offset = spec.get("storage_offset", 0)
        extent = 0 if 0 in size else offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1
        length[key] = max(length.get(key, 0), extent)
        if "data" in spec:
            data[key] = spec["data"]
        placed.append((spec, key, size, stride, offset))
    storages, out = {}, []
    for spec, key, size, stride, offset in placed:
        dtype = DTYPES[spec["dtype"]]
        if key not in storages:
            given = data.get(key, {"fill": "zeros"})
            if isinstance(given, dict):
                storages[key] = fill(given["fill"], given.get("seed", 0), length[key], dtype)
            else:
                storages[key] = torch.tensor([number(v) for v in given], dtype=dtype)
        tensor = storages[key].as_strided(size, stride, offset).detach().requires_grad_(spec.get("requires_grad", False))
        out.append(Input(spec["name"], storages[key], tensor))
    return out


# ---- results ----

def element(value):
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (math.inf, -math.inf):
            return "inf" if value > 0 else "-inf"
        return "-0.0" if value == 0 and math.copysign(1, value) < 0 else value
    if not isinstance(value, bool) and abs(value) > 1 << 53:
        return str(value)
    return value


def elements(tensor):
    if tensor._is_zerotensor():  # second derivatives of abs: zeros without memory
        tensor = torch.zeros(tensor.size(), dtype=tensor.dtype)
    flat = tensor.detach().reshape(-1)
    if flat.numel() > 64:  # many values, of which JSON can usually write each as it is
        plain = flat.dtype != torch.int64 and (not flat.is_floating_point() or bool(flat.isfinite().all() and flat.ne(0).all()))
        if plain:
            return flat.tolist()
    return [element(value) for value in flat.tolist()]


def address(tensor):
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return storage.data_ptr() if storage.nbytes() else None


def grad_record(grad):
    return None if grad is None else {"size": list(grad.shape), "data": elements(grad)}


def overlaps_itself(tensor):
    """Do two index tuples address one location?"""
    reach, seen = 0, True
    for stride, size in sorted((s, n) for s, n in zip(tensor.stride(), tensor.size()) if n > 1):
        seen = seen and stride > reach
        reach += stride * (size - 1)
    if tensor.numel() <= 1 or seen:
        return False
    spots = torch.arange(reach + 1).as_strided(tensor.size(), tensor.stride())
    return spots.unique().numel() < tensor.numel()


def return_records(returns, inputs, fresh):
    records, owners = [], {}
    for given in inputs:
        owners.setdefault(address(given.tensor), "input:" + given.name)
    owners.pop(None, None)
    leaves = [tensor.is_leaf for tensor in returns]
    for index, tensor in enumerate(returns):
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise AttributeError("return %d is a %s, not a tensor" % (index, type(tensor).__name__))
        where = address(tensor)
        records.append({"dtype": DTYPE_NAMES[tensor.dtype], "size": list(tensor.size()), "data": elements(tensor)})
        if not fresh:
            records[-1].update({"stride": list(tensor.stride()), "storage_offset": tensor.storage_offset(), "alias": owners.get(where),
                                "requires_grad": tensor.requires_grad, "is_leaf": leaves[index]})
        if where is not None:
            owners.setdefault(where, "return:%d" % index)
    return records


def input_record(given):
    tensor = given.tensor
    return {"name": given.name, "requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf, "version": tensor._version,
            "size": list(tensor.size()), "stride": list(tensor.stride()), "storage_offset": tensor.storage_offset(),
            "data": elements(given.whole()), "grad": grad_record(tensor.grad)}


def poke(returns, inputs):
    for index, tensor in enumerate(returns):
        if not overlaps_itself(tensor):
            tensor.detach().fill_(index + 1)
    return {"returns": [elements(tensor) for tensor in returns], "inputs": [elements(given.whole()) for given in inputs]}


# ---- modes: each one runs the calls of one program ----

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


# ---- one program ----

def backward(spec, returns):
    of = spec.get("of")
    roots = [(k, r) for k, r in enumerate(returns) if r.is_floating_point() and r.requires_grad and (of is None or k in of)]
    if roots:
        tangents = [fill(spec["fill"], (int(spec.get("seed", 0)) + k) & MASK, r.numel(), r.dtype).reshape(r.size()) for k, r in roots]
        torch.autograd.backward([r for _, r in roots], tangents)


def prepare(source, spec, inputs, bound, trace):
    """The variables of the setup, which runs in grad mode; for a `keep` call those of the last call, with their flags changed."""
    if not (isinstance(spec, dict) and spec.get("keep")):
        return source.scope["_setup"](*[given.tensor for given in inputs], trace)
    if bound is None:
        raise NameError("the setup did not run to its end: there is nothing to call with again")
    for name, flags in spec.get("set", {}).items():
        read(bound, source.scope["_SET"][name]).requires_grad_(flags["requires_grad"])
    return bound


def read(bound, name):
    """A local variable of the setup; NameError if it is unbound."""
    if name not in bound:
        raise NameError("name '%s' is not defined" % name)
    return bound[name]


def mark_dynamic(program, names, args):
    """The sizes that `compile` marks, of arguments that have these dims."""
    marks = program.get("compile", {}).get("mark_dynamic", {})
    for name, tensor in zip(names, args):
        for dim in marks.get(name, []):
            if dim < tensor.dim():
                torch._dynamo.maybe_mark_dynamic(tensor, dim)


def run_call(program, executor, spec, inputs, bound, grad_mode, poked, mode):
    source, before, trace, behind, returns, prepared = executor.source, [], [], [], [], bound
    call = {"status": "ok", "returns": [], "inputs": []}
    at = None
    try:
        prepared = prepare(source, spec, inputs, bound, before)
        args = [read(prepared, name) for name in source.scope["_ARGS"]]
        if executor.compiling:
            mark_dynamic(program, source.scope["_ARGS"], args)
        with torch.set_grad_enabled(grad_mode):
            returns = executor.call(args, trace)
            for number, value in enumerate(returns):
                if not isinstance(value, torch.Tensor):
                    at = "return"
                    raise AssertionError("return[%d] is no tensor but %s" % (number, value if value is None else type(value).__name__))
        if source.scope["_RETURNS"] is not None:
            names = dict(zip(source.scope["_ARGS"], args))
            names.update(zip(source.scope["_RETURNS"], returns))
            source.scope["_after"](**names, _t=behind)
        at = "return"
        call["returns"] = return_records(returns, inputs, executor.fresh)
        if program.get("backward") is not None:
            at = "backward"
            backward(program["backward"], returns)
        at = None
    except Exception as error:
        call["status"] = "error"
        call["error"] = error_record(source, error, at, mode)
        frame = frame_of(error) if executor.compiling else None
        if frame:
            call["x-frame"] = frame
    if None not in trace and (call["status"] == "ok" or not executor.compiling):  # an error during tracing: the program has not run
        call["trace"] = [{"at": path, "probe": kind, "value": DTYPE_NAMES.get(value, value) if isinstance(value, torch.dtype) else value}
                         for path, kind, value in before + trace + behind]
    call["inputs"] = [input_record(given) for given in inputs]
    if program.get("backward") is not None and call["status"] == "ok":
        for tensor, record in zip(returns, call["returns"]):
            if executor.fresh:
                continue
            if (record["is_leaf"] and record["requires_grad"] and tensor.requires_grad) or (not record["is_leaf"] and tensor.retains_grad):
                record["grad"] = grad_record(tensor.grad)
    if poked and call["status"] == "ok" and not executor.fresh:
        call["poked"] = poke(returns, inputs)
    if executor.compiling:
        counts = executor.counts()
        if call["status"] != "ok" and not getattr(executor, "untraced", False):
            counts.pop("vacuous")
        call.update(counts)
    return call, prepared


def run_program(program, text, mode, poked):
    given = {} if mode.startswith("eager") else program.get("compile", {})
    with contextlib.ExitStack() as patched:
        if mode_is_cuda(mode):
            patched.enter_context(device_of("cuda"))
        config = dict(given.get("config", {}))
        if "seed" in program and split_mode(mode)[0] in BACKENDS:  # what is compiled draws the numbers of eager PyTorch
            config.setdefault("inductor.fallback_random", True)
        settings.apply(patched, config)
        calls = run_calls(program, text, mode, poked, given)
        if observed.FILE and split_mode(mode)[0] in BACKENDS:
            observed.write(program, mode, calls)
        return calls


def run_calls(program, text, mode, poked, given):
    # Dynamo of 2.11 takes literals for tensors of the CPU, whatever the default device
    source = Source(re.sub(r"(torch\.tensor\(.*?), dtype=", r'\1, device="cuda", dtype=', text) if mode_is_cuda(mode) else text)
    try:
        executor = open_mode(mode, source, given)
        specs = [program.get("inputs", [])] + program.get("recalls", [])
        calls, inputs, bound = [], [], None
        for index, spec in enumerate(specs):
            grad_mode, keep = program.get("grad_mode", True), isinstance(spec, dict) and spec.get("keep")
            if isinstance(spec, dict):
                grad_mode = spec.get("grad_mode", grad_mode)
            if keep:
                for tensor in [] if spec.get("keep_grads") else [given.tensor for given in inputs] + list((bound or {}).values()):
                    if isinstance(tensor, torch.Tensor):
                        tensor.grad = None
            else:
                inputs, bound = build(spec["inputs"] if isinstance(spec, dict) else spec), None
            if "seed" in program:
                torch.manual_seed((int(program["seed"]) + index) & MASK)
            again = index + 1 < len(specs) and isinstance(specs[index + 1], dict) and specs[index + 1].get("keep")
            call, bound = run_call(program, executor, spec, inputs, bound, grad_mode, poked and not again, mode)
            calls.append(call)
        return calls
    finally:
        source.forget()


def answer(request, names, absent):
    if "hello" in request:
        hello = {"hello": 1, "target": "torch " + torch.__version__, "modes": names, "absent": absent, "accepts": ["modes", "alone"]}
        if request.get("settings"):
            hello["settings"] = settings.known(names)
        return hello
    if "modes" in request:
        return {"id": request["id"], "results": [result_of(request, mode, names) for mode in request["modes"]]}
    return {"id": request["id"], "result": result_of(request, request["mode"], names)}


def line_of(request, names, absent):
    """The text of the answer; one that the harness would not read says so in few words."""
    text = json.dumps(answer(request, names, absent), allow_nan=False)
    if len(text) <= LONGEST:
        return text
    message = "an answer of %d bytes: the limit is %d" % (len(text), LONGEST)
    calls = [{"status": "error", "error": {"at": None, "code": "limit", "message": message}, "returns": [], "inputs": []}]
    results = [{"twingrad_result": 1, "target": "torch %s %s" % (torch.__version__, mode), "calls": calls} for mode in request.get("modes") or [request["mode"]]]
    return json.dumps({"id": request["id"], "results": results} if "modes" in request else {"id": request["id"], "result": results[0]})


def result_of(request, mode, names):
    if mode not in names:
        calls = [{"status": "error", "error": {"at": None, "code": "unsupported", "message": "no mode " + mode}, "returns": [], "inputs": []}]
    else:
        try:
            calls = run_program(request["program"], request["python"], mode, request.get("poke", False))
        except settings.Unknown as error:
            calls = [{"status": "error", "error": {"at": None, "code": "unsupported", "message": str(error)}, "returns": [], "inputs": []}]
        except Exception as error:  # the target itself failed
            message = "%s: %s" % (type(error).__name__, str(error)[:500])
            code = "unsupported" if LOST_GPU in message and mode.startswith("eager") else "internal"
            calls = [{"status": "error", "error": {"at": None, "code": code, "message": message}, "returns": [], "inputs": []}]
    return {"twingrad_result": 1, "target": "torch %s %s" % (torch.__version__, mode), "calls": calls}


def repair():
    """Works around two bugs of 1.13 (docs/guide/fidelity.md): slice_scatter's binding reads the default of `step` from uninitialized memory, and the
    result of narrow_copy has self's strides and a storage as large as self's."""
    if VERSION < (2, 0):
        def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
            return torch.ops.aten.slice_scatter(self, src, dim, start, end, step)
        torch.slice_scatter = torch.Tensor.slice_scatter = slice_scatter
        binding = torch.Tensor.narrow_copy

        def narrow_copy(self, dim, start, length):
            result = binding(self.contiguous(), dim, start, length)
            result.storage().resize_(result.numel())
            return result
        torch.narrow_copy = torch.Tensor.narrow_copy = narrow_copy
        torch.ops.aten.narrow_copy = types.SimpleNamespace(default=narrow_copy)


def warm_up(modes):
    """Imports what compiling needs, before processes are forked for one program each: half a second of each for AOTAutograd, two for Inductor. Nothing is differentiated: the threads
    of the autograd engine do not survive a fork."""
    bases = [split_mode(mode)[0] for mode in modes]
    if any(base in BACKENDS for base in bases):
        import torch._dynamo as dynamo
        for base in bases:
            if base in BACKENDS:
                with contextlib.suppress(Exception):  # of a missing C++ compiler, say: the program tells
                    torch.compile(lambda x: x + 1, **backend_of(base))(torch.zeros(1))
            if base in BACKENDS and base != "dynamo":  # the first joint graph imports these: half a second
                for name in ("torch._inductor.lowering", "torch._inductor.pattern_matcher"):
                    with contextlib.suppress(ImportError):
                        importlib.import_module(name)
        dynamo.reset()


def answer_in_child(request, names, absent):
    """The text of the answer, computed in a child process: a failed trace leaves the tracer of 1.13 in a state that makes later traces wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            torch.set_num_threads(torch.get_num_threads())  # a pool of the parent is replaced here: threads of the autograd engine that do so at once abort
            with os.fdopen(writing, "w") as pipe:
                pipe.write(line_of(request, names, absent))
        except BaseException as error:
            sys.stderr.write("%s: %s\n" % (type(error).__name__, error))
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):  # end with the same signal
        os.kill(os.getpid(), os.WTERMSIG(status))
    if status:
        sys.exit(1)
    return text


def answer_in_interpreter(request):
    """The text of the answer of a new interpreter, for a program alone on the GPU: a forked process cannot use the GPU that its parent has opened."""
    line = json.dumps({key: value for key, value in request.items() if key != "alone"})
    done = subprocess.run([sys.executable] + sys.argv, input=line + "\n", stdout=subprocess.PIPE, text=True)
    if done.returncode < 0:  # end with the same signal
        os.kill(os.getpid(), -done.returncode)
    if done.returncode or not done.stdout:
        sys.exit(1)
    return done.stdout.rstrip("\n")


def start_anew(out):
    """This process again, in place of one that has lost the GPU; the harness notices nothing."""
    out.flush()
    os.dup2(out.fileno(), 1)
    os.execv(sys.executable, [sys.executable] + sys.argv)


def main():
    repair()
    if observed.FILE:
        observed.watch()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output printed by PyTorch must not mix with answers
    names, absent = modes()
    warm = False
    sharing = None  # of the C++ compiler
    session = os.environ.get("TWINGRAD_SESSION", "")
    for line in sys.stdin:
        if line.strip():
            request = json.loads(line)
            requested = request.get("modes") or [request.get("mode") or ""]
            if session and any(split_mode(mode)[0] == "inductor" and not mode_is_cuda(mode) for mode in requested):
                sharing, session = kernels.install(session), ""
            if sharing:
                sharing.busy(True)
            alone = request.get("alone") or (VERSION < (2, 0) and "aot" in request.get("modes", [request.get("mode")]))
            on_gpu = any(mode_is_cuda(mode) for mode in requested)
            if request.get("alone") and not warm and not on_gpu and VERSION >= (2, 0):
                warm_up(request.get("modes") or [request.get("mode")])
                warm = True
            text = (answer_in_interpreter(request) if alone and on_gpu else answer_in_child(request, names, absent) if alone
                    else line_of(request, names, absent))
            out.write(text + "\n")
            out.flush()
            if on_gpu and not alone and LOST_GPU in text:
                start_anew(out)
            if sharing:
                sharing.busy(False)


if __name__ == "__main__":
    main()
