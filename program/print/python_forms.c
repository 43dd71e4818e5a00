/* Python around the call of an op, and where the function leaves its results: the lines of
 * program/lang/python_forms.def, and the classes and functions that they name. */
#include "program/print/python.h"

#include <string.h>

typedef struct FormInfo {
    bool one_tensor; /* `$out` has to be the name of one tensor */
    const char *lines;
} FormInfo;

enum { anything = false, one_tensor = true };
static const FormInfo FORMS[] = {
#define FORM(name, needs, lines) {needs, lines},
#define LEAVE(name, before, each, between, after, results)
#include "program/lang/python_forms.def"
};

typedef struct LeaveInfo {
    const char *before, *each, *between, *after, *results;
} LeaveInfo;

static const LeaveInfo LEAVES[] = {
#define FORM(name, needs, lines)
#define LEAVE(name, before, each, between, after, results) {before, each, between, after, results},
#include "program/lang/python_forms.def"
};

/* ---- what the lines name ---- */

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
};

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
static void need_definitions(const char *lines, bool *needed) {
    for (int i = 0; i < COUNT_OF(DEFINITIONS); i++) {
        if (!needed[i] && is_named(lines, DEFINITIONS[i].name)) {
            needed[i] = true;
            need_definitions(DEFINITIONS[i].lines, needed);
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

typedef struct Replacement {
    const char *name, *value;
} Replacement;

/* A copy of `lines` in which every `$name` is replaced by its value. */
static const char *replaced(Arena *arena, const char *lines, const Replacement *with, int n) {
    Text t = {.arena = arena};
    text_add(&t, "");
    while (*lines) {
        const Replacement *found = NULL;
        for (int i = 0; *lines == '$' && i < n; i++) {
            found = strncmp(lines + 1, with[i].name, strlen(with[i].name)) == 0 ? &with[i] : found;
        }
        if (found) {
            text_add(&t, found->value);
            lines += 1 + strlen(found->name);
        } else {
            text_addn(&t, lines++, 1);
        }
    }
    return t.v;
}

void python_definitions(const Printer *pr, int depth) {
    const PythonSurface *s = pr->p->surface;
    bool needed[COUNT_OF(DEFINITIONS)] = {false};
    if (program_has_context(pr->p, CONTEXT_checkpoint)) {
        need_definitions("torch.utils.checkpoint.", needed);
    }
    for (int i = 0; s && i < s->forms.n; i++) {
        need_definitions(FORMS[s->forms.v[i].choice].lines, needed);
    }
    const LeaveInfo *leave = s && s->leave_given ? &LEAVES[s->leave] : NULL;
    if (leave) {
        need_definitions(leave->before, needed);
        need_definitions(leave->each, needed);
        need_definitions(leave->after, needed);
        need_definitions(leave->results, needed);
    }
    bool any = leave != NULL;
    for (int i = 0; i < COUNT_OF(DEFINITIONS); i++) {
        if (needed[i]) {
            print_indented(pr, DEFINITIONS[i].lines, depth);
            any = true;
        }
    }
    if (leave) {
        const Replacement with[] = {{"r", "returned"}};
        print_indented(pr, "def _results(returned):\n", depth);
        python_indent(pr, depth + 1);
        text_printf(pr->t, "return %s\n", replaced(pr->t->arena, leave->results, with, 1));
    }
    text_add(pr->t, any && depth == 0 ? "\n\n" : "");
}

/* ---- lines ---- */

bool python_form_fits(PythonForm form, const Stmt *s) {
    return !FORMS[form].one_tensor || (s->nout == 1 && !s->out_list);
}

/* Text of several lines, the first not indented, each but the last with its comment. */
static void print_lines(const Printer *pr, const char *lines, const char *path, int depth) {
    for (const char *at = lines; *at;) {
        const char *end = strchrnul(at, '\n');
        text_addn(pr->t, at, end - at);
        at = end + (*end == '\n');
        if (*at) {
            text_printf(pr->t, "  # %s\n", path);
            python_indent(pr, depth);
        }
    }
}

void python_form(const Printer *pr, PythonForm form, const char *out, const char *call,
                 const char *path, int depth) {
    const Replacement with[] = {{"out", out}, {"call", call}};
    print_lines(pr, replaced(pr->t->arena, FORMS[form].lines, with, COUNT_OF(with)), path, depth);
}

void python_return(const Printer *pr, int depth) {
    const Program *p = pr->p;
    Arena *arena = pr->t->arena;
    bool given = p->surface && p->surface->leave_given;
    const LeaveInfo plain = {"return [", "$v", ", ", "]", ""};
    const LeaveInfo *leave = given ? &LEAVES[p->surface->leave] : &plain;
    Text all = {.arena = arena}, lines = {.arena = arena};
    text_add(&all, "");
    for (int i = 0; i < p->nreturns; i++) {
        text_printf(&all, i ? ", %s" : "%s", print_name(pr, p->returns[i]));
    }
    text_add(&lines, leave->before);
    for (int i = 0; i < p->nreturns; i++) {
        const Replacement with[] = {{"v", print_name(pr, p->returns[i])},
                                    {"i", arena_printf(arena, "%d", i)}};
        text_add(&lines, i ? leave->between : "");
        text_add(&lines, replaced(arena, leave->each, with, COUNT_OF(with)));
    }
    text_add(&lines, replaced(arena, leave->after, &(Replacement){"all", all.v}, 1));
    python_indent(pr, depth);
    print_lines(pr, lines.v, "return", depth);
    text_add(pr->t, "  # return\n");
}
