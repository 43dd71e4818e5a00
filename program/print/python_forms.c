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
    bool needed[PYTHON_DEFINITIONS] = {false};
    python_need_contexts(pr->p, needed);
    for (int i = 0; s && i < s->forms.n; i++) {
        python_need_definitions(FORMS[s->forms.v[i].choice].lines, needed);
    }
    const LeaveInfo *leave = s && s->leave_given ? &LEAVES[s->leave] : NULL;
    if (leave) {
        python_need_definitions(leave->before, needed);
        python_need_definitions(leave->each, needed);
        python_need_definitions(leave->after, needed);
        python_need_definitions(leave->results, needed);
    }
    bool any = python_print_definitions(pr, needed, depth) || leave;
    if (leave) {
        const Replacement with[] = {{"r", "returned"}};
        python_indent(pr, depth);
        text_add(pr->t, "def _results(returned):\n");
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
