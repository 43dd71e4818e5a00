/* A stand-alone script: the program's function, a description of its calls as plain Python values,
 * and a fixed runner. The runner builds the inputs bit for bit, runs the function eagerly and
 * compiled (torch.compile, or AOTAutograd with a compiler that does nothing), and prints the
 * differences. The script requires only torch 1.13 or later. The text before and after the program
 * is constant; the rest consists of names, numbers and dtypes. */
#include "program/print/python.h"

#include <inttypes.h>
#include <string.h>

static const char HEAD[] = "#!/usr/bin/env python3\n"
                           "\"\"\"Runs one program in PyTorch, eagerly and compiled, and prints "
                           "what differs (exit code 1; 3: this PyTorch has no such mode).\n"
                           "\n"
                           "usage: repro.py [MODE]    aot (AOTAutograd, with a compiler that does "
                           "nothing), dynamo, aot_eager, aot_decomp, inductor_lite, inductor,\n"
                           "                          each of them with _dynamic, _fullgraph or "
                           "_cuda, or a backend of torch.compile; without: the mode "
                           "in which it was found, else what this PyTorch has\n"
                           "\"\"\"\n"
                           "import contextlib\n"
                           "import importlib\n"
                           "import os\n"
                           "import sys\n"
                           "import traceback\n"
                           "import warnings\n"
                           "\n"
                           "for _name in (\"TORCHINDUCTOR_FX_GRAPH_CACHE\", "
                           "\"TORCHINDUCTOR_AUTOGRAD_CACHE\"):\n"
                           "    os.environ.setdefault(_name, \"0\")  # nothing of earlier runs\n"
                           "\n";

static const char RUNNER[] =
    "\n\n"
    "def _build(inputs, wide):\n"
    "    def extent(size, stride, offset):\n"
    "        return 0 if 0 in size else offset + sum((n - 1) * s for n, s in zip(size, stride)) + "
    "1\n"
    "\n"
    "    length, data = {}, {}\n"
    "    for key, dtype, size, stride, offset, requires_grad, values in inputs:\n"
    "        length[key] = max(length.get(key, 0), extent(size, stride, offset))\n"
    "        if values is not None:\n"
    "            data[key] = values\n"
    "    storages, out = {}, []\n"
    "    for key, dtype, size, stride, offset, requires_grad, values in inputs:\n"
    "        if key not in storages:\n"
    "            values = data.get(key, (\"zeros\", 0))\n"
    "            filled = isinstance(values, tuple)\n"
    "            storages[key] = _fill(values[0], values[1], length[key], dtype) if filled else "
    "torch.tensor(values, dtype=dtype)\n"
    "            if wide and dtype.is_floating_point:\n"
    "                storages[key] = storages[key].to(torch.float64)\n"
    "        out.append(storages[key].as_strided(size, stride, offset if length[key] else "
    "0).detach().requires_grad_(requires_grad))\n"
    "    return out, storages\n"
    "\n\n"
    "def _address(tensor):\n"
    "    storage = tensor.untyped_storage() if hasattr(tensor, \"untyped_storage\") else "
    "tensor.storage()\n"
    "    return storage.data_ptr() if storage.nbytes() else None\n"
    "\n\n"
    "def _error(error):\n"
    "    at = \"unknown\"\n"
    "    for frame in traceback.extract_tb(error.__traceback__):\n"
    "        if frame.filename == __file__ and \"  # \" in (frame.line or \"\"):\n"
    "            at = frame.line.rsplit(\"  # \", 1)[1]\n"
    "    return \"%s at %s: %s\" % (type(error).__name__, at, str(error).split(\"\\n\")[0])\n"
    "\n\n"
    "def _layout(tensor):\n"
    "    \"\"\"Its strides, of dimensions above 1, and its offset; None if it is empty.\"\"\"\n"
    "    return ([s for n, s in zip(tensor.size(), tensor.stride()) if n > 1], "
    "tensor.storage_offset()) if tensor.numel() else None\n"
    "\n\n"
    "def _facts(tensor, others):\n"
    "    if not isinstance(tensor, torch.Tensor):\n"
    "        return {\"value\": repr(tensor)}\n"
    "    alias = [name for name, other in others if _address(other) is not None and "
    "_address(other) == _address(tensor)]\n"
    "    return {\"dtype\": str(tensor.dtype), \"size\": list(tensor.size()), \"requires_grad\": "
    "tensor.requires_grad, \"is_leaf\": tensor.is_leaf,\n"
    "            \"alias\": alias[0] if alias else None, \"layout\": _layout(tensor) if alias "
    "else None, \"data\": tensor.detach().clone()}\n"
    "\n\n"
    "def _eager(args, trace):\n"
    "    function, free = _target(*args)\n"
    "    return _results(function(*free, trace))\n"
    "\n\n"
    "def _fake():\n"
    "    from torch._subclasses.fake_utils import CrossRefFakeMode\n"
    "\n"
    "    def execute(args, trace):\n"
    "        with CrossRefFakeMode(only_check_ops_with_meta=False):\n"
    "            return _eager(args, trace)\n"
    "    return execute\n"
    "\n\n"
    "def _compile(mode):\n"
    "    base = mode\n"
    "    for suffix in (\"_cuda\", \"_fullgraph\", \"_dynamic\"):\n"
    "        base = base[:-len(suffix)] if base.endswith(suffix) else base\n"
    "    backends = {\"dynamo\": \"eager\", \"aot_decomp\": \"aot_eager_decomp_partition\", "
    "\"inductor_lite\": \"inductor\"}\n"
    "    options = {\"backend\": backends.get(base, base), \"dynamic\": True if \"_dynamic\" in "
    "mode else _COMPILE.get(\"dynamic\"),\n"
    "               \"fullgraph\": \"_fullgraph\" in mode or _COMPILE.get(\"fullgraph\", "
    "False)}\n"
    "    if base == \"inductor_lite\":\n"
    "        options[\"mode\"] = \"lite\"\n"
    "    compiled = {}\n"
    "\n"
    "    def execute(args, trace):\n"
    "        function, free = _target(*args)\n"
    "        if function not in compiled:\n"
    "            compiled[function] = torch.compile(function, **options)\n"
    "        return _results(compiled[function](*free, trace))\n"
    "    return execute\n"
    "\n\n"
    "def _aot():\n"
    "    warnings.simplefilter(\"ignore\")  # that the compiler does nothing\n"
    "    if _OLD:\n"
    "        from functorch.compile import aot_function\n"
    "    else:\n"
    "        from torch._functorch.aot_autograd import aot_function\n"
    "    compiled = {}\n"
    "\n"
    "    def execute(args, trace):\n"
    "        def function(*args):  # called to trace it; the last time counts\n"
    "            del trace[:]\n"
    "            return _results(program(*args, trace))\n"
    "\n"
    "        def nothing(graph, _):\n"
    "            return graph\n"
    "\n"
    "        owners = {}  # AOTAutograd guards nothing: whatever it specialized on is in the key\n"
    "        key = (torch.is_grad_enabled(),) + tuple((t.dtype, t.size(), t.stride(), "
    "t.storage_offset(), t.requires_grad, t.is_leaf,\n"
    "                                                  owners.setdefault(_address(t), "
    "len(owners))) for t in args)\n"
    "        if key in compiled:\n"
    "            trace.append(None)  # no statement runs again\n"
    "        else:\n"
    "            compiled[key] = aot_function(function, fw_compiler=nothing, bw_compiler=nothing)\n"
    "        return compiled[key](*args)\n"
    "    return execute\n"
    "\n\n"
    "def _prepare(call, tensors, bound, trace):\n"
    "    if not call[\"keep\"]:\n"
    "        return _setup(*tensors, trace)\n"
    "    if bound is None:\n"
    "        raise NameError(\"the setup did not run to its end: there is nothing to call with "
    "again\")\n"
    "    for name, flag in call[\"set\"].items():\n"
    "        bound[_SET[name]].requires_grad_(flag)\n"
    "    return bound\n"
    "\n\n"
    "def _run(execute, wide=False):\n"
    "    calls, tensors, storages, bound = [], [], {}, None\n"
    "    for name, new in ((\"_py_global\", lambda: None), (\"_py_list\", list), (\"_py_dict\", "
    "dict), (\"_py_object\", lambda: _PyObject()), (\"_py_module\", torch.nn.Module)):\n"
    "        if name in globals():  # what an earlier run has left there\n"
    "            globals()[name] = new()\n"
    "    for call in _CALLS:\n"
    "        if \"seed\" in call:\n"
    "            torch.manual_seed(call[\"seed\"])\n"
    "        if not call[\"keep\"]:\n"
    "            tensors, storages = _build(call[\"inputs\"], wide)\n"
    "            bound = None\n"
    "        for tensor in [] if call.get(\"keep_grads\") else tensors + list((bound or "
    "{}).values()):\n"
    "            if isinstance(tensor, torch.Tensor):\n"
    "                tensor.grad = None\n"
    "        before, trace, after, facts, returns = [], [], [], {}, []\n"
    "        try:\n"
    "            bound = _prepare(call, tensors, bound, before)\n"
    "            args = [bound[name] for name in _ARGS]\n"
    "            for name, dims in _COMPILE.get(\"mark_dynamic\", {}).items():\n"
    "                for dim in dims if execute is not _eager and name in _ARGS else []:\n"
    "                    if dim < bound[name].dim():\n"
    "                        torch._dynamo.maybe_mark_dynamic(bound[name], dim)\n"
    "            versions = [tensor._version for tensor in tensors]\n"
    "            with torch.set_grad_enabled(call[\"grad_mode\"]):\n"
    "                returns = execute(args, trace)\n"
    "            if _RETURNS is not None:\n"
    "                _after(**dict(zip(_ARGS, args), **dict(zip(_RETURNS, returns))), _t=after)\n"
    "            named = [(\"input:\" + name, tensor) for name, tensor in zip(_NAMES, tensors)]\n"
    "            for k, tensor in enumerate(returns):\n"
    "                facts[\"return[%d]\" % k] = _facts(tensor, named)  # return\n"
    "                named.append((\"return:%d\" % k, tensor))\n"
    "            if _BACKWARD is not None:\n"
    "                kind, seed, of = _BACKWARD\n"
    "                roots = [(k, r) for k, r in enumerate(returns) if isinstance(r, torch.Tensor) "
    "and r.requires_grad and (of is None or k in of)]\n"
    "                if roots:\n"
    "                    tangents = [_fill(kind, (seed + k) % 2**64, r.numel(), "
    "r.dtype).reshape(r.size()) for k, r in roots]\n"
    "                    torch.autograd.backward([r for _, r in roots], tangents)  # backward\n"
    "            for k, tensor in enumerate(returns):\n"
    "                if isinstance(tensor, torch.Tensor) and tensor.requires_grad and "
    "(tensor.is_leaf or tensor.retains_grad):\n"
    "                    facts[\"return[%d]\" % k][\"grad\"] = None if tensor.grad is None else "
    "tensor.grad.detach().clone()\n"
    "            facts[\"error\"] = None\n"
    "            _WRITTEN.extend(name for name, tensor, was in zip(_NAMES, tensors, versions) if "
    "tensor._version != was)\n"
    "        except Exception as error:\n"
    "            facts[\"error\"] = _error(error)\n"
    "        facts[\"probes\"] = None if None in trace else [(at, kind, str(value)) for at, kind, "
    "value in before + trace + after]\n"
    "        for name, tensor in zip(_NAMES, tensors):\n"
    "            facts[\"input \" + name] = {\"requires_grad\": tensor.requires_grad, \"is_leaf\": "
    "tensor.is_leaf, \"size\": list(tensor.size()), \"layout\": _layout(tensor)}\n"
    "            if facts[\"error\"] is None and tensor.is_leaf:\n"
    "                facts[\"input \" + name][\"grad\"] = None if tensor.grad is None else "
    "tensor.grad.detach().clone()\n"
    "        facts[\"storages\"] = {str(key): storage.clone() for key, storage in "
    "storages.items()}\n"
    "        calls.append(facts)\n"
    "    return calls\n"
    "\n\n"
    "def _same(a, b):\n"
    "    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):\n"
    "        if a.dtype != b.dtype or a.size() != b.size():\n"
    "            return False\n"
    "        if not a.dtype.is_floating_point:\n"
    "            return torch.equal(a, b)\n"
    "        rtol = {torch.float64: 1e-7, torch.float16: 1e-3, torch.bfloat16: "
    "1.6e-2}.get(a.dtype, "
    "1.3e-6)\n"
    "        return torch.allclose(a.double(), b.double(), rtol=rtol, atol=1e-7 if a.dtype == "
    "torch.float64 else 1e-5, equal_nan=True)\n"
    "    return type(a) is type(b) and a == b\n"
    "\n\n"
    "def _differences(a, b, where):\n"
    "    if isinstance(a, dict) and isinstance(b, dict):\n"
    "        return [d for key in sorted(set(a) | set(b)) for d in _differences(a.get(key), "
    "b.get(key), where + [key])]\n"
    "    if where[-1] == \"error\":\n"
    "        same = (a is None) == (b is None)\n"
    "    elif where[-1] == \"probes\":\n"
    "        same = a is None or b is None or a == b\n"
    "    else:\n"
    "        same = _same(a, b)\n"
    "    return [] if same else [(where, a, b)]\n"
    "\n\n"
    "def _widened():\n"
    "    \"\"\"What eager PyTorch answers in float64: inputs, and dtypes that statements "
    "name.\"\"\"\n"
    "    narrow = {name: getattr(torch, name) for name in (\"float16\", \"bfloat16\", "
    "\"float32\")}\n"
    "    try:\n"
    "        for name in narrow:\n"
    "            setattr(torch, name, torch.float64)\n"
    "        torch.set_default_dtype(torch.float64)\n"
    "        return _run(_eager, True)\n"
    "    finally:\n"
    "        for name, dtype in narrow.items():\n"
    "            setattr(torch, name, dtype)\n"
    "        torch.set_default_dtype(torch.float32)\n"
    "\n\n"
    "def _baseline(base, where, a, b, mode):\n"
    "    \"\"\"That answer, and how far from it both others are.\"\"\"\n"
    "    for key in where:\n"
    "        base = base.get(key) if isinstance(base, dict) else None\n"
    "    if not all(isinstance(v, torch.Tensor) and v.dtype.is_floating_point for v in (base, a, "
    "b)) or not base.size() == a.size() == b.size():\n"
    "        return \"\"\n"
    "    off = [float((v.double() - base).abs().max()) if v.numel() else 0.0 for v in (a, b)]\n"
    "    return \"\\n  float64 baseline: %s\\n  largest error: eager %g, %s %g\" % (base, off[0], "
    "mode, off[1])\n"
    "\n\n"
    "def _choose(mode):\n"
    "    \"\"\"What runs the program in the mode, or None where this PyTorch can not.\"\"\"\n"
    "    if mode == \"aot\":\n"
    "        return _aot()\n"
    "    if not hasattr(torch, \"compile\"):\n"
    "        return None\n"
    "    if mode == \"fake\":\n"
    "        return _fake()\n"
    "    try:\n"
    "        torch.compile(lambda x: x, backend=\"eager\")(torch.zeros(1))\n"
    "    except Exception as error:\n"
    "        print(\"torch.compile does not work here: %s\" % str(error).split(\"\\n\")[0])\n"
    "        return None\n"
    "    return _compile(mode)\n"
    "\n\n"
    "def _set(patched):\n"
    "    \"\"\"The settings of the program, until `patched` is left.\"\"\"\n"
    "    given = dict(_COMPILE.get(\"config\", {}))\n"
    "    if \"seed\" in _CALLS[0] and not _OLD:  # the random numbers of eager PyTorch\n"
    "        given.setdefault(\"inductor.fallback_random\", True)\n"
    "    for name, value in given.items():\n"
    "        layer, _, key = name.partition(\".\")\n"
    "        config = importlib.import_module(\"torch._%s.config\" % layer)\n"
    "        patched.enter_context(config.patch({key: value}))\n"
    "\n\n"
    "def _main():\n"
    "    mode = sys.argv[1] if len(sys.argv) > 1 else _MODE or (\"inductor\" if hasattr(torch, "
    "\"compile\") else \"aot\")\n"
    "    print(\"torch\", torch.__version__)\n"
    "    torch.set_num_threads(int(os.environ.get(\"OMP_NUM_THREADS\", \"1\")))\n"
    "    if mode.endswith(\"_cuda\"):\n"
    "        if not torch.cuda.is_available():\n"
    "            print(\"there is no GPU that this PyTorch can use\")\n"
    "            return 3\n"
    "        torch.set_default_device(\"cuda\")\n"
    "    eager = _run(_eager)\n"
    "    for number, call in enumerate(eager):\n"
    "        print(\"call %d:\" % number, call[\"error\"] or \"ok\")\n"
    "        for key in sorted(call):\n"
    "            if key != \"error\":\n"
    "                print(\"    %s: %s\" % (key, call[key]))\n"
    "    if mode == \"aot\" and _OLD and _WRITTEN:\n"
    "        print(\"AOTAutograd of this PyTorch does not know inputs that are written (%s): ran "
    "eagerly only\" % \", \".join(_WRITTEN))\n"
    "        return 3\n"
    "    execute = _choose(mode)\n"
    "    if execute is None:\n"
    "        print(\"this PyTorch has no mode %s: ran eagerly only\" % mode)\n"
    "        return 3\n"
    "    found = 0\n"
    "    with contextlib.ExitStack() as patched:\n"
    "        _set(patched)\n"
    "        compiled = _run(execute)\n"
    "    wide = [{}] * len(eager) if \"seed\" in _CALLS[0] else _widened()  # other dtypes draw "
    "other numbers\n"
    "    for number, (a, b, base) in enumerate(zip(eager, compiled, wide)):\n"
    "        for where, x, y in _differences(a, b, []):\n"
    "            place = \", \".join([\"call %d\" % number] + where)\n"
    "            print(\"DIFFERENT %s\\n  eager: %s\\n  %s: %s%s\" % (place, x, mode, y, "
    "_baseline(base, where, x, y, mode)))\n"
    "            found += 1\n"
    "    print(\"%d difference%s between eager and %s\" % (found, \"s\" if found > 1 else \"\", "
    "mode) if found else \"no difference between eager and %s\" % mode)\n"
    "    return 1 if found else 0\n"
    "\n\n"
    "if __name__ == \"__main__\":\n"
    "    sys.exit(_main())\n";

/* Prints the names whose flags some recall sets, with their Python names. */
static void print_settable(const Printer *pr) {
    const Program *p = pr->p;
    bool *seen = arena_array(pr->t->arena, bool, p->nnames + 1);
    int written = 0;
    for (int k = 0; k < p->nrecalls; k++) {
        for (int i = 0; i < p->recalls[k].nset; i++) {
            NameId name = p->recalls[k].set[i].name;
            if (!seen[name]) {
                text_printf(pr->t, "%s\"%s\": \"%s\"", written++ ? ", " : "", p->names[name],
                            print_name(pr, name));
            }
            seen[name] = true;
        }
    }
}

static bool returns_name(const Program *p, NameId name, int n) {
    for (int k = 0; k < n; k++) {
        if (p->returns[k] == name) {
            return true;
        }
    }
    return false;
}

/* Prints the statements that the caller runs behind the function, as a function of the arguments
 * and of what the function returned. */
static void print_after(const Printer *pr, const NameId *args, int nargs) {
    const Program *p = pr->p;
    Text *t = pr->t;
    if (!p->after.first) {
        text_add(t, "_RETURNS = None\n");
        return;
    }
    NameId *names = arena_array(t->arena, NameId, nargs + p->nreturns + 1);
    int n = 0;
    text_add(t, "_RETURNS = [");
    for (int k = 0; k < p->nreturns; k++) {
        text_printf(t, k ? ", \"%s\"" : "\"%s\"", print_name(pr, p->returns[k]));
    }
    for (int i = 0; i < nargs; i++) {
        if (!returns_name(p, args[i], p->nreturns)) {
            names[n++] = args[i];
        }
    }
    for (int k = 0; k < p->nreturns; k++) {
        if (!returns_name(p, p->returns[k], k)) {
            names[n++] = p->returns[k];
        }
    }
    text_add(t, "]\n\n\ndef _after");
    python_parameters(pr, names, n, true);
    text_add(t, ":\n");
    python_block(pr, &p->after, 1);
}

/* Prints the setup statements as a function that returns all bound names, and the names that are
 * passed to the program. */
static void print_setup(const Printer *pr) {
    Arena *arena = pr->t->arena;
    const Program *p = pr->p;
    Text *t = pr->t;
    NameId *names = arena_array(arena, NameId, p->ninputs + 1);
    for (int i = 0; i < p->ninputs; i++) {
        names[i] = p->inputs[i].name;
    }
    int n;
    const NameId *args = program_arguments(p, arena, &n);
    text_add(t, "\n\ndef _setup");
    python_parameters(pr, names, p->ninputs, true);
    text_add(t, ":\n");
    if (p->setup.first) {
        python_block(pr, &p->setup, 1);
    }
    text_add(t, "    return locals()\n\n\n");
    if (!p->surface || !p->surface->leave_given) {
        text_add(t, "_results = list\n");
    }
    text_add(t, "_ARGS = [");
    for (int i = 0; i < n; i++) {
        text_printf(t, i ? ", \"%s\"" : "\"%s\"", print_name(pr, args[i]));
    }
    text_add(t, "]\n_SET = {");
    print_settable(pr);
    text_add(t, "}\n");
    print_after(pr, args, n);
    text_add(t, "\n\ndef _target");
    python_parameters(pr, args, n, false);
    text_add(t, ":\n    return ");
    bool made = python_is_made(p, arena);
    text_add(t, made ? "make(" : "program, [");
    for (int pass = made ? 0 : 1; pass < 2; pass++) {
        int written = 0;
        for (int i = 0; i < n; i++) {
            bool held = made && python_binding(p, args[i]) != BINDING_arg;
            if (held == (pass == 0)) {
                text_printf(t, written++ ? ", %s" : "%s", print_name(pr, args[i]));
            }
        }
        text_add(t, pass == 0 ? "), [" : "]\n\n\n");
    }
}

void program_print_target(Text *text, const Program *p) {
    Printer pr = {text, p, python_names(text->arena, p), true, NULL};
    program_print_python(text, p);
    print_setup(&pr);
}

void program_print_torch(Text *text, const Program *p) { program_print_repro(text, p, NULL); }

void program_print_repro(Text *text, const Program *p, const char *mode) {
    Printer pr = {text, p, python_names(text->arena, p), true, NULL};
    text_add(text, HEAD);
    program_print_python(text, p);
    print_setup(&pr);
    torch_print_calls(&pr);
    torch_print_settings(text, p->compile);
    text_add(text, "_MODE = ");
    if (mode) {
        text_json_string(text, mode);
    } else {
        text_add(text, "None");
    }
    text_add(text, "\n_OLD = not hasattr(torch, \"compile\")\n_WRITTEN = []\n");
    text_add(text, "\n\n");
    torch_print_fill(text, 0);
    text_add(text, RUNNER);
}

const char *print_without_probes(Arena *arena, const char *source) {
    Text t = {.arena = arena};
    text_add(&t, "");
    for (const char *line = source; *line;) {
        const char *end = strchrnul(line, '\n'), *word = line + strspn(line, " ");
        const char *comment = NULL;
        if (strncmp(word, "_t.append(", 10) == 0) {
            for (const char *c = word; c + 3 < end; c++) {
                comment = strncmp(c, "  # ", 4) == 0 ? c : comment;
            }
        }
        if (comment) {
            text_addn(&t, line, word - line);
            text_add(&t, "pass");
            line = comment;
        }
        text_addn(&t, line, end - line + (*end == '\n'));
        line = end + (*end == '\n');
    }
    return t.v;
}
