#!/usr/bin/env python3
"""PyTorch as a target of twingrad: reads one JSON request per line from standard input, writes one answer per line to standard output
(docs/reference/format.md, "Out-of-process targets"; docs/guide/targets.md).

Runs with PyTorch 1.13 or later. Its modes: modes.py.
"""
import contextlib
import gc
import json
import os
import re
import subprocess
import sys
import types
import warnings

sys.dont_write_bytecode = True  # the folder may be read-only

import kernels  # noqa: E402
import settings  # noqa: E402

os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")  # an error of a kernel belongs to the op that launched it

try:
    import torch
except ImportError as error:
    sys.stderr.write("no PyTorch for %s (%s): 'make torch' installs one, docs/guide/targets.md says how to use another\n" % (sys.executable, error))
    sys.exit(3)

from errors import LOST_GPU, error_record, frame_of  # noqa: E402
from inputs import DTYPE_NAMES, MASK, build, device_of, fill  # noqa: E402
from modes import BACKENDS, VERSION, mode_is_cuda, modes, open_mode, split_mode, warm_up  # noqa: E402
from results import Kept, Memory, argument_record, input_record, look_again, poke, return_records  # noqa: E402
from source import Source  # noqa: E402
from state import restore, state  # noqa: E402

LONGEST = 16 << 20  # bytes of an answer: JSON_MAX_BYTES of program/json/tree.h


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


def run_call(program, executor, spec, inputs, bound, kept, grad_mode, poked, mode):
    source, before, trace, behind, args, returns, prepared = executor.source, [], [], [], [], [], bound
    call = {"status": "ok", "returns": [], "inputs": []}
    at = None
    found = state()
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
    call["changed_state"] = restore(found)  # so that what follows is not its consequence
    if None not in trace and (call["status"] == "ok" or not executor.compiling):  # an error during tracing: the program has not run
        call["trace"] = [{"at": path, "probe": kind, "value": DTYPE_NAMES.get(value, value) if isinstance(value, torch.dtype) else value}
                         for path, kind, value in before + trace + behind]
    names = [given.name for given in inputs]
    made = [(name, tensor) for name, tensor in zip(program.get("args", []), args) if name not in names]
    memory = Memory(inputs, made, returns) if call["status"] == "ok" and not executor.fresh else None
    call["inputs"] = [input_record(given, memory) for given in inputs]
    if made and not executor.fresh:
        call["args"] = [argument_record(name, tensor, inputs, memory) for name, tensor in made]
    if program.get("backward") is not None and memory:
        for index, (tensor, record) in enumerate(zip(returns, call["returns"])):
            if (record["is_leaf"] and record["requires_grad"] and tensor.requires_grad) or (not record["is_leaf"] and tensor.retains_grad):
                record["grad"] = memory.record(tensor.grad, "return:%d" % index)
    kept.append(Kept(returns) if call["status"] == "ok" and not executor.fresh else None)
    if poked and kept[-1]:
        look_again(kept)  # what is written now may hide what the call has written
        call["poked"] = poke(returns, inputs)
        kept[-1].note()
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
        return run_calls(program, text, mode, poked, given)


def run_calls(program, text, mode, poked, given):
    # Dynamo of 2.11 takes literals for tensors of the CPU, whatever the default device
    source = Source(re.sub(r"(torch\.tensor\(.*?), dtype=", r'\1, device="cuda", dtype=', text) if mode_is_cuda(mode) else text)
    try:
        executor = open_mode(mode, source, given)
        specs = [program.get("inputs", [])] + program.get("recalls", [])
        calls, kept, inputs, bound = [], [], [], None
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
            call, bound = run_call(program, executor, spec, inputs, bound, kept, grad_mode, poked and not again, mode)
            calls.append(call)
        look_again(kept)
        for call, one in zip(calls, kept):
            if one:
                call["changed_later"] = sorted(one.changed)
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
                gc.collect()
                gc.freeze()  # a collection in a child process would copy all of its parent's memory
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
