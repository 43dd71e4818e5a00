/* The classes, functions and imports that Python around calls (program/lang/python_forms.def) and
 * contexts of blocks (program/lang/contexts.def) name. */
#include "program/print/python.h"

#include <string.h>

/* Printed where a line, or a definition below, names the first word of it. */
static const struct {
    const char *name, *lines;
} DEFINITIONS[] = {
    {"collections.", "import collections\n"},
    {"contextlib.", "import contextlib\n"},
    {"copy.", "import copy\n"},
    {"dataclasses.", "import dataclasses\n"},
    {"functools.", "import functools\n"},
    {"itertools.", "import itertools\n"},
    {"torch.utils.checkpoint.", "import torch.utils.checkpoint\n"},
    {"_PyPair", "_PyPair = collections.namedtuple(\"_PyPair\", \"first second\")\n"},
    {"_PyData", "@dataclasses.dataclass\nclass _PyData:\n    value: object\n"},
    {"_PyObject", "class _PyObject:\n    pass\n"},
    {"_py_object", "_py_object = _PyObject()\n"},
    {"_PySlots", "class _PySlots:\n    __slots__ = (\"value\",)\n"},
    {"_PyProperty",
     "class _PyProperty:\n    @property\n    def value(self):\n        return self.held\n"
     "    @value.setter\n    def value(self, value):\n        self.held = value\n"},
    {"_PyItems", "class _PyItems:\n    def __init__(self):\n        self.held = {}\n"
                 "    def __setitem__(self, key, value):\n        self.held[key] = value\n"
                 "    def __getitem__(self, key):\n        return self.held[key]\n"},
    {"_PyCall", "class _PyCall:\n    def __init__(self, count):\n        self.count = count\n"
                "    def __call__(self, value):\n        self.count += 1\n        return value\n"},
    {"_PyError", "class _PyError(Exception):\n    pass\n"},
    {"_PyContext",
     "class _PyContext:\n    def __enter__(self):\n        self.entered = True\n"
     "        return self\n"
     "    def __exit__(self, *_):\n        self.entered = False\n        return False\n"},
    {"_py_managed",
     "@contextlib.contextmanager\ndef _py_managed():\n    held = []\n    yield held\n"},
    {"_py_decorator",
     "def _py_decorator(function):\n    @functools.wraps(function)\n"
     "    def wrapped(*args, **kwargs):\n        return function(*args, **kwargs)\n"
     "    return wrapped\n"},
    {"_py_disabled",
     "def _py_disabled(function):\n    return function()\n"
     "if hasattr(torch, \"_dynamo\"):\n    _py_disabled = torch._dynamo.disable(_py_disabled)\n"},
    {"_py_global", "_py_global = None\n"},
    {"_py_leave", "def _py_leave(value):\n    global _py_global\n    _py_global = value\n"},
    {"_py_list", "_py_list = []\n"},
    {"_py_dict", "_py_dict = {}\n"},
    {"_py_module", "_py_module = torch.nn.Module()\n"},
    /* of contexts */
    {"_py_floats", "def _py_floats(args):\n"
                   "    return [i for i, a in enumerate(args) if a.is_floating_point()]\n"},
    {"_py_of_floats", "def _py_of_floats(function, args, where):\n"
                      "    def inner(*floats):\n"
                      "        full = list(args)\n"
                      "        for i, a in zip(where, floats):\n"
                      "            full[i] = a\n"
                      "        return function(*full)\n"
                      "    return inner\n"},
    {"_py_weighed", /* one number, in which every element of every gradient counts */
     "def _py_weighed(gradients):\n"
     "    total = 0\n"
     "    for g in gradients:\n"
     "        total = total + (g * (torch.arange(g.numel()).reshape(g.shape) % 7 + 1)).sum()\n"
     "    return total\n"},
    {"_py_plus", "def _py_plus(results, number):\n"
                 "    return [r + number if r.is_floating_point() else r for r in results]\n"},
    {"_py_vmap", "def _py_vmap(function, *args):\n"
                 "    if not args:\n        return function()\n"
                 "    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]\n"
                 "    return [r[1] for r in torch.func.vmap(function)(*pairs)]\n"},
    {"_py_vmap_last_dim",
     "def _py_vmap_last_dim(function, *args):\n"
     "    if not args:\n        return function()\n"
     "    pairs = [torch.stack([torch.zeros_like(a), a], -1) for a in args]\n"
     "    results = torch.func.vmap(function, in_dims=-1, out_dims=-1)(*pairs)\n"
     "    return [r[..., 1] for r in results]\n"},
    {"_py_jvp",
     "def _py_jvp(function, *args):\n"
     "    where = _py_floats(args)\n"
     "    if not where:\n        return function(*args)\n"
     "    floats = tuple(args[i] for i in where)\n"
     "    results, tangents = torch.func.jvp(_py_of_floats(function, args, where), floats, "
     "floats)\n"
     "    return [r + t if r.is_floating_point() else r for r, t in zip(results, tangents)]\n"},
    {"_py_vjp",
     "def _py_vjp(function, *args):\n"
     "    where = _py_floats(args)\n"
     "    if not where:\n        return function(*args)\n"
     "    def both(*floats):\n"
     "        results = _py_of_floats(function, args, where)(*floats)\n"
     "        return tuple(r for r in results if r.is_floating_point()), tuple(results)\n"
     "    of, pull, results = torch.func.vjp(both, *[args[i] for i in where], has_aux=True)\n"
     "    return _py_plus(results, _py_weighed(pull(tuple(torch.ones_like(r) for r in of))))\n"},
    {"_py_scalar",
     "def _py_scalar(function, where):\n"
     "    def scalar(*args):\n"
     "        results, total = function(*args), args[where[0]].sum() * 0\n"
     "        for r in results:\n"
     "            total = total + r.sum() if r.is_floating_point() else total\n"
     "        return total, tuple(results)\n"
     "    return torch.func.grad_and_value(scalar, argnums=tuple(where), has_aux=True)\n"},
    {"_py_func_grad", "def _py_func_grad(function, *args):\n"
                      "    where = _py_floats(args)\n"
                      "    if not where:\n        return function(*args)\n"
                      "    gradients, (_, results) = _py_scalar(function, where)(*args)\n"
                      "    return _py_plus(results, _py_weighed(gradients))\n"},
    {"_py_per_sample_grad",
     "def _py_per_sample_grad(function, *args):\n"
     "    where = _py_floats(args)\n"
     "    if not where:\n        return function(*args)\n"
     "    pairs = [torch.stack([torch.zeros_like(a), a]) for a in args]\n"
     "    gradients, (_, results) = torch.func.vmap(_py_scalar(function, where))(*pairs)\n"
     "    return _py_plus([r[1] for r in results], _py_weighed([g[1] for g in gradients]))\n"},
    {"_PyBlock", "class _PyBlock(torch.nn.Module):\n"
                 "    def __init__(self):\n        super().__init__()\n"
                 "        for i in range(16):\n"
                 "            self.register_buffer(\"b%d\" % i, torch.zeros(()))\n"
                 "    def forward(self, function, count):\n"
                 "        return function(*[getattr(self, \"b%d\" % i) for i in range(count)])\n"},
    {"_py_block_module", "_py_block_module = _PyBlock()\n"},
    {"_py_functional_call",
     "def _py_functional_call(function, *args):\n"
     "    held = {\"b%d\" % i: a for i, a in enumerate(args)}\n"
     "    return torch.func.functional_call(_py_block_module, held, (function, len(args)))\n"},
    {"_py_real", "def _py_real(results):\n"
                 "    return [r.real + r.imag if r.is_complex() else r for r in results]\n"},
    {"_py_complex",
     "def _py_complex(function, *args):\n"
     "    return _py_real(function(*[torch.complex(a, a + a) if a.dtype in (torch.float32, "
     "torch.float64) else a for a in args]))\n"},
    {"_py_conjugate", /* lazy: a view with a bit set */
     "def _py_conjugate(function, *args):\n"
     "    return _py_real(function(*[torch.complex(a, a + a).conj() if a.dtype in (torch.float32, "
     "torch.float64) else a for a in args]))\n"},
    {"_py_unbacked", /* every first dim gets a size that is the value of a tensor */
     "def _py_unbacked(function, *args):\n"
     "    known, sized = {}, []\n"
     "    for a in args:\n"
     "        if a.dim():\n"
     "            if a.shape[0] not in known:\n"
     "                n = torch.ones(a.shape[0], dtype=torch.int64).sum().item()\n"
     "                torch._check(n >= 0)\n"
     "                torch._check(n <= a.shape[0])\n"
     "                known[a.shape[0]] = n\n"
     "            a = a.narrow(0, 0, known[a.shape[0]])\n"
     "        sized.append(a)\n"
     "    return function(*sized)\n"},
    {"_py_item", /* what has one element becomes a tensor made of that number */
     "def _py_item(function, *args):\n"
     "    return function(*[torch.full_like(a, a.item()) if a.numel() == 1 else a for a in "
     "args])\n"},
    {"_py_trained", /* two steps, whose loss is the sum of what the function returns */
     "def _py_trained(function, args, make):\n"
     "    with torch.enable_grad():\n"
     "        copies = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in args]\n"
     "        floats = [a for a in copies if a.requires_grad]\n"
     "        if not floats:\n            return function(*args)\n"
     "        optimizer = make(floats)\n"
     "        for _ in range(2):\n"
     "            optimizer.zero_grad()\n"
     "            loss = floats[0].sum() * 0\n"
     "            for r in function(*copies):\n"
     "                loss = loss + r.sum() if r.is_floating_point() else loss\n"
     "            loss.backward()\n"
     "            optimizer.step()\n"
     "    return function(*[a.detach() for a in copies])\n"},
    {"_py_sgd", "def _py_sgd(function, *args):\n"
                "    return _py_trained(function, args, lambda p: torch.optim.SGD(p, lr=0.5, "
                "momentum=0.5))\n"},
    {"_py_adam", "def _py_adam(function, *args):\n"
                 "    return _py_trained(function, args, lambda p: torch.optim.Adam(p, lr=0.3))\n"},
    {"_PyModes", /* its buffer counts the calls in training mode */
     "class _PyModes(torch.nn.Module):\n"
     "    def __init__(self):\n        super().__init__()\n"
     "        self.register_buffer(\"seen\", torch.zeros(()))\n"
     "    def forward(self, function, *args):\n"
     "        if self.training:\n            self.seen.add_(1)\n"
     "        results = function(*args)\n"
     "        return [r * self.seen.clone() if r.is_floating_point() else r for r in results]\n"},
    {"_py_modes", "_py_modes = _PyModes()\n"},
    {"_py_module_modes",
     "def _py_module_modes(function, *args):\n"
     "    _py_modes.seen.zero_()\n"
     "    first, second = _py_modes.train()(function, *args), _py_modes.eval()(function, *args)\n"
     "    return [b + a if a.is_floating_point() else a for a, b in zip(first, second)]\n"},
    {"_py_disable", "def _py_disable(function, *args):\n"
                    "    return torch.compiler.disable(function)(*args)\n"},
    {"_py_nested_region", "def _py_nested_region(function, *args):\n"
                          "    return torch.compiler.nested_compile_region(function)(*args)\n"},
    {"_py_selective_checkpoint",
     "def _py_policy(context, op, *args, **kwargs):\n"
     "    policy = torch.utils.checkpoint.CheckpointPolicy\n"
     "    return policy.MUST_SAVE if \"m\" in op.name() else policy.PREFER_RECOMPUTE\n"
     "def _py_selective_checkpoint(function, *args):\n"
     "    contexts = functools.partial(\n"
     "        torch.utils.checkpoint.create_selective_checkpoint_contexts, _py_policy)\n"
     "    return torch.utils.checkpoint.checkpoint(\n"
     "        function, *args, use_reentrant=False, context_fn=contexts)\n"},
    {"_py_pack", "def _py_pack(value):\n    return value.clone()\n"},
    {"_py_unpack", "def _py_unpack(value):\n    return value\n"},
    {"_PyMode", "class _PyMode(torch.overrides.TorchFunctionMode):\n"
                "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
                "        return function(*args, **(kwargs or {}))\n"},
};
_Static_assert(COUNT_OF(DEFINITIONS) <= PYTHON_DEFINITIONS, "a flag each");

static bool is_named(const char *lines, const char *name) {
    for (const char *at = lines; (at = strstr(at, name)) != NULL; at++) {
        char before = at == lines ? ' ' : at[-1], after = at[strlen(name)];
        bool letter =
            before == '_' || (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        if (!letter && !(after == '_' || (after >= 'a' && after <= 'z'))) {
            return true;
        }
        if (!letter && name[strlen(name) - 1] == '.') {
            return true;
        }
    }
    return false;
}

/* Marks what `lines` need, and what that needs. */
void python_need_definitions(const char *lines, bool *needed) {
    for (int i = 0; i < COUNT_OF(DEFINITIONS); i++) {
        if (!needed[i] && is_named(lines, DEFINITIONS[i].name)) {
            needed[i] = true;
            python_need_definitions(DEFINITIONS[i].lines, needed);
        }
    }
}

static void print_indented(const Printer *pr, const char *lines, int depth) {
    while (*lines) {
        const char *end = strchrnul(lines, '\n');
        python_indent(pr, depth);
        text_addn(pr->t, lines, end - lines);
        text_add(pr->t, "\n");
        lines = end + (*end == '\n');
    }
}

bool python_print_definitions(const Printer *pr, const bool *needed, int depth) {
    bool any = false;
    for (int i = 0; i < COUNT_OF(DEFINITIONS); i++) {
        if (needed[i]) {
            print_indented(pr, DEFINITIONS[i].lines, depth);
            any = true;
        }
    }
    return any;
}
