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
    text_add(text, "\n_OLD = not hasattr(torch, \"compile\")\n_WRITTEN = []\n_EXACT = \"\"\n");
    text_add(text, "\n\n");
    torch_print_fill(text, 0);
    text_add(text, torch_runner);
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
